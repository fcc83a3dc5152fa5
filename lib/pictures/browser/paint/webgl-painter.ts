/** Draws points on the graphics card. Each coordinate is a buffer, so that all panels share what was uploaded once. */

import type { Look, Painter } from './painter.ts';
import type { Panel } from './panel.ts';
import { compileProgram, type Program } from './program.ts';

const vertexShader = `#version 300 es
in float x;
in float y;
in float z;
in vec4 color;
in float kind;
uniform vec3 center;
uniform vec3 scale;
uniform mat3 rotation;
uniform vec2 zoom;
uniform vec2 pan;
uniform float size;
uniform float opacity;
uniform vec3 ground;
uniform bool spatial;
out vec4 paint;
out float shape;
out float diameter;
void main() {
  vec3 place = rotation * ((vec3(x, y, z) - center) * scale);
  gl_Position = color.a == 0.0 ? vec4(2.0, 2.0, 2.0, 1.0)
    : vec4(place.xy * zoom + pan, spatial ? -0.3 * place.z : 0.0, 1.0);
  shape = kind;
  float factor = kind < 0.5 ? 1.0 : kind < 1.5 ? 1.3 : kind < 2.5 ? 1.1 : 1.5;
  diameter = size * factor;
  gl_PointSize = diameter + 1.0;
  float near = 0.4 + 0.6 * clamp(0.5 + 0.4 * place.z, 0.0, 1.0);
  paint = spatial ? vec4(mix(ground, color.rgb, near), 1.0) : vec4(color.rgb, opacity);
}`;

const fragmentShader = `#version 300 es
precision highp float;
in vec4 paint;
in float shape;
in float diameter;
uniform bool spatial;
out vec4 result;
void main() {
  vec2 p = (gl_PointCoord - 0.5) * (diameter + 1.0);
  vec2 q = abs(p);
  float norm = shape < 0.5 ? length(p)
    : shape < 1.5 ? q.x + q.y
    : shape < 2.5 ? max(q.x, q.y) * 1.2
    : 2.0 * max(p.y, 0.866 * q.x - 0.5 * p.y);
  float cover = clamp(diameter * 0.5 + 0.5 - norm, 0.0, 1.0);
  if (cover < (spatial ? 0.5 : 0.05)) discard;
  float alpha = paint.a * cover;
  result = vec4(paint.rgb * alpha, alpha);
}`;

const attributes = ['x', 'y', 'z', 'color', 'kind'];

export class WebGlPainter implements Painter {
  readonly #gl: WebGL2RenderingContext;
  readonly #columns: readonly Float32Array[];
  #program!: Program;
  #buffers: WebGLBuffer[] = [];
  #colorBuffer!: WebGLBuffer;
  #shapeBuffer!: WebGLBuffer;
  #colors: Uint8Array = new Uint8Array(0);
  #shapes: Uint8Array = new Uint8Array(0);

  constructor(gl: WebGL2RenderingContext, columns: readonly Float32Array[]) {
    this.#gl = gl;
    this.#columns = columns;
    this.#upload();
    // A card may forget everything, for instance when a laptop wakes up.
    gl.canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    gl.canvas.addEventListener('webglcontextrestored', () => {
      this.#upload();
      this.setColors(this.#colors);
      this.setShapes(this.#shapes);
    });
  }

  setColors(colors: Uint8Array): void {
    this.#colors = colors;
    this.#fill(this.#colorBuffer, colors);
  }

  setShapes(shapes: Uint8Array): void {
    this.#shapes = shapes;
    this.#fill(this.#shapeBuffer, shapes);
  }

  draw(panels: readonly Panel[], look: Look): void {
    const gl = this.#gl;
    const { width, height } = gl.canvas;
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(...look.ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    gl.useProgram(this.#program.handle);
    for (const panel of panels) {
      const [left, right] = [panel.left, panel.left + panel.width].map((edge) => Math.round(edge * look.ratio));
      const [top, bottom] = [panel.top, panel.top + panel.height].map((edge) => Math.round(edge * look.ratio));
      const area = [left, height - bottom, right - left, bottom - top] as const;
      gl.viewport(...area);
      gl.scissor(...area);
      this.#drawPanel(panel, look);
    }
    gl.viewport(0, 0, width, height);
  }

  #drawPanel(panel: Panel, { size, opacity, ground }: Look): void {
    const gl = this.#gl;
    const { uniform } = this.#program;
    (panel.isSpatial ? gl.enable : gl.disable).call(gl, gl.DEPTH_TEST);
    for (const [axis, column] of panel.columns.entries()) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers[column]);
      gl.vertexAttribPointer(axis, 1, gl.FLOAT, false, 0, 0);
    }
    gl.uniform3fv(uniform('center'), panel.center);
    gl.uniform3fv(uniform('scale'), panel.scale);
    gl.uniformMatrix3fv(uniform('rotation'), true, panel.rotation);
    gl.uniform2fv(uniform('zoom'), panel.zoom);
    gl.uniform2fv(uniform('pan'), panel.pan);
    gl.uniform1f(uniform('size'), size);
    gl.uniform1f(uniform('opacity'), opacity);
    gl.uniform3fv(uniform('ground'), ground);
    gl.uniform1i(uniform('spatial'), panel.isSpatial ? 1 : 0);
    gl.drawArrays(gl.POINTS, 0, this.#columns[0].length);
  }

  #upload(): void {
    const gl = this.#gl;
    this.#program = compileProgram(gl, vertexShader, fragmentShader, attributes);
    this.#buffers = this.#columns.map((column) => this.#fill(gl.createBuffer(), column));
    [this.#colorBuffer, this.#shapeBuffer] = [gl.createBuffer(), gl.createBuffer()];
    for (let place = 0; place < attributes.length; place++) gl.enableVertexAttribArray(place);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#colorBuffer);
    gl.vertexAttribPointer(3, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#shapeBuffer);
    gl.vertexAttribPointer(4, 1, gl.UNSIGNED_BYTE, false, 0, 0);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  #fill(buffer: WebGLBuffer, data: Float32Array | Uint8Array): WebGLBuffer {
    const gl = this.#gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    return buffer;
  }
}
