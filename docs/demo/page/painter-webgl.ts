/** Draws points on the graphics card. Buffers change once per frame; the card interpolates the pictures in between. */

import { compileProgram, type Program } from '../../../lib/pictures/browser/paint/program.ts';
import type { Camera, Color, Look, Painter } from './painter.ts';
import { lineShader, pointShader, vertexShader } from './shaders.ts';

/** Both programs use the same locations, so that one set of buffers serves both. */
const attributes = ['before', 'after', 'color'];

export class WebGlPainter implements Painter {
  readonly #gl: WebGL2RenderingContext;
  readonly #points: Program;
  readonly #lines: Program;
  readonly #moving: WebGLVertexArrayObject;
  readonly #still: WebGLVertexArrayObject;
  readonly #buffers: Record<'before' | 'after' | 'color' | 'ghost' | 'edges', WebGLBuffer>;
  #count = 0;
  #ghosts = 0;
  #edges = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#points = compileProgram(gl, vertexShader, pointShader, attributes);
    this.#lines = compileProgram(gl, vertexShader, lineShader, attributes);
    const [before, after, color, ghost, edges] = Array.from({ length: 5 }, () => gl.createBuffer());
    this.#buffers = { before, after, color, ghost, edges };
    this.#moving = this.#arrange([before, after], color);
    this.#still = this.#arrange([ghost, ghost], null);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.clearColor(0, 0, 0, 0);
  }

  /** Three numbers per point in each. */
  move(before: Float32Array, after: Float32Array): void {
    this.#count = after.length / 3;
    this.#fill(this.#buffers.before, before);
    this.#fill(this.#buffers.after, after);
  }

  /** Four bytes per point. */
  paint(colors: Uint8Array): void {
    this.#fill(this.#buffers.color, colors);
  }

  setGhosts(places: Float32Array): void {
    this.#ghosts = places.length / 3;
    this.#fill(this.#buffers.ghost, places);
  }

  setEdges(pairs: Int32Array): void {
    this.#edges = pairs.length;
    const gl = this.#gl;
    gl.bindVertexArray(this.#moving);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.#buffers.edges);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, Uint32Array.from(pairs), gl.STATIC_DRAW);
  }

  draw({ camera, fraction, pointSize, edge, ghost }: Look): void {
    const gl = this.#gl;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (ghost && this.#ghosts > 0) {
      this.#use(this.#points, this.#still, camera, 1, pointSize, ghost);
      gl.drawArrays(gl.POINTS, 0, this.#ghosts);
    }
    if (edge && this.#edges > 0) {
      this.#use(this.#lines, this.#moving, camera, fraction, 1, edge);
      gl.drawElements(gl.LINES, this.#edges, gl.UNSIGNED_INT, 0);
    }
    this.#use(this.#points, this.#moving, camera, fraction, pointSize, [0, 0, 0, 0]);
    gl.drawArrays(gl.POINTS, 0, this.#count);
  }

  #arrange(places: readonly WebGLBuffer[], color: WebGLBuffer | null): WebGLVertexArrayObject {
    const gl = this.#gl;
    const arrangement = gl.createVertexArray();
    gl.bindVertexArray(arrangement);
    for (const [place, buffer] of places.entries()) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    }
    if (color) {
      gl.bindBuffer(gl.ARRAY_BUFFER, color);
      gl.enableVertexAttribArray(2);
      gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    }
    return arrangement;
  }

  #fill(buffer: WebGLBuffer, data: Float32Array | Uint8Array): void {
    const gl = this.#gl;
    gl.bindVertexArray(null);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
  }

  #use(
    { handle, uniform }: Program,
    arrangement: WebGLVertexArrayObject,
    { middle, rotation, scale }: Camera,
    fraction: number,
    size: number,
    color: Color,
  ): void {
    const gl = this.#gl;
    gl.useProgram(handle);
    gl.bindVertexArray(arrangement);
    gl.uniform1f(uniform('fraction'), fraction);
    gl.uniformMatrix3fv(uniform('rotation'), true, rotation);
    gl.uniform3fv(uniform('middle'), middle);
    gl.uniform2fv(uniform('scale'), scale);
    gl.uniform1f(uniform('size'), size);
    gl.uniform1f(uniform('soft'), Math.min(1, 2.5 / size));
    gl.uniform4fv(uniform('flat_color'), color);
  }
}
