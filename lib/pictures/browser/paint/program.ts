/** Compiles WebGL programs. */

/** A linked program, and the locations of its uniforms by name. */
export interface Program {
  readonly handle: WebGLProgram;
  readonly uniform: (name: string) => WebGLUniformLocation | null;
}

/** Compiles and links a program. The attribute `attributes[i]` has location i, in every program alike. */
export function compileProgram(
  gl: WebGL2RenderingContext,
  vertex: string,
  fragment: string,
  attributes: readonly string[],
): Program {
  const handle = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? 'no shader');
    gl.attachShader(handle, shader);
  }
  for (const [place, name] of attributes.entries()) gl.bindAttribLocation(handle, place, name);
  gl.linkProgram(handle);
  if (!gl.getProgramParameter(handle, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(handle) ?? 'no program');
  const places = new Map<string, WebGLUniformLocation | null>();
  const uniform = (name: string): WebGLUniformLocation | null => {
    if (!places.has(name)) places.set(name, gl.getUniformLocation(handle, name));
    return places.get(name)!;
  };
  return { handle, uniform };
}
