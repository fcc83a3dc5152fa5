/** What may the page do? Run its own scripts and WebAssembly, and load its own files; nothing else. */

/** As it stands in the head of each page. */
export const strictPolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
  "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";
