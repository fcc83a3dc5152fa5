/** Finds out whether WebGL runs on a graphics card. Emulated by the processor it is many times slower than plain code. */

/** The names of WebGL implementations that run on the processor. */
const imitations = /swiftshader|llvmpipe|software|basic render/i;

/** Uses a hidden canvas, because a canvas keeps the kind of context it was first asked for. */
export function hasGraphicsCard(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const names = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !imitations.test(name);
}
