/** The content security policy: the page may run its own scripts and WebAssembly and load its own files, nothing else. */

/** The policy as written in the head of each page. */
export const strictPolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
  "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";
