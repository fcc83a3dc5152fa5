/** The shaders: they interpolate points between two frames and draw them as round discs. */

/** Positions on the pane, from −1 to 1. `rotation` rotates points in space first. */
export const vertexShader = `#version 300 es
in vec3 before;
in vec3 after;
in vec4 color;
uniform float fraction;
uniform mat3 rotation;
uniform vec3 middle;
uniform vec2 scale;
uniform float size;
out vec4 paint;
void main() {
  vec3 place = rotation * (mix(before, after, fraction) - middle);
  gl_Position = vec4(place.xy * scale, 0.0, 1.0);
  float depth = clamp(0.5 + 0.5 * place.z * scale.y, 0.0, 1.0);
  gl_PointSize = size * mix(0.8, 1.2, depth);
  paint = vec4(color.rgb, color.a * mix(0.55, 1.0, depth));
}`;

export const pointShader = `#version 300 es
precision mediump float;
in vec4 paint;
uniform vec4 flat_color;
uniform float soft;
out vec4 result;
void main() {
  float edge = length(gl_PointCoord - 0.5) * 2.0;
  float cover = 1.0 - smoothstep(1.0 - soft, 1.0, edge);
  vec4 color = mix(paint, vec4(flat_color.rgb, 1.0), step(0.0, flat_color.a - 0.001));
  float alpha = mix(paint.a, flat_color.a, step(0.0, flat_color.a - 0.001)) * cover;
  result = vec4(color.rgb * alpha, alpha);
}`;

export const lineShader = `#version 300 es
precision mediump float;
in vec4 paint;
uniform vec4 flat_color;
out vec4 result;
void main() {
  result = vec4(flat_color.rgb * flat_color.a, flat_color.a);
}`;
