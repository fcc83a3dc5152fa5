/** A pad of 28×28 pixels for handwritten digits, with thick and centered strokes as in MNIST. */

const side = 28;

export class Pad {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #onDraw: (pixels: Float32Array) => void;

  constructor(canvas: HTMLCanvasElement, onDraw: (pixels: Float32Array) => void) {
    this.#canvas = canvas;
    this.#onDraw = onDraw;
    canvas.width = 10 * side;
    canvas.height = 10 * side;
    this.#context = canvas.getContext('2d', { willReadFrequently: true })!;
    this.clear();
    this.#listen();
  }

  clear(): void {
    this.#context.fillStyle = '#000';
    this.#context.fillRect(0, 0, this.#canvas.width, this.#canvas.height);
  }

  #listen(): void {
    const canvas = this.#canvas;
    const context = this.#context;
    let last: [number, number] | null = null;
    const where = (event: PointerEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      const scale = canvas.width / box.width;
      return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    };
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      last = where(event);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!last) return;
      const next = where(event);
      context.strokeStyle = '#fff';
      context.lineWidth = 22;
      context.lineCap = 'round';
      context.beginPath();
      context.moveTo(...last);
      context.lineTo(...next);
      context.stroke();
      last = next;
    });
    canvas.addEventListener('pointerup', () => {
      last = null;
      this.#onDraw(this.#pixels());
    });
  }

  /** As in MNIST: the strokes fill 20×20 pixels, and their center of mass is in the middle. */
  #pixels(): Float32Array {
    const { width, height } = this.#canvas;
    const { data } = this.#context.getImageData(0, 0, width, height);
    const bounds = { left: width, top: height, right: 0, bottom: 0 };
    for (let i = 0; i < width * height; i++) {
      if (data[4 * i] < 40) continue;
      const [x, y] = [i % width, Math.floor(i / width)];
      bounds.left = Math.min(bounds.left, x);
      bounds.right = Math.max(bounds.right, x);
      bounds.top = Math.min(bounds.top, y);
      bounds.bottom = Math.max(bounds.bottom, y);
    }
    const [wide, high] = [bounds.right - bounds.left + 1, bounds.bottom - bounds.top + 1];
    if (wide <= 0 || high <= 0) return new Float32Array(side * side);
    const small = document.createElement('canvas');
    small.width = side;
    small.height = side;
    const drawn = small.getContext('2d', { willReadFrequently: true })!;
    const scale = 20 / Math.max(wide, high);
    const draw = (left: number, top: number): Uint8ClampedArray => {
      drawn.fillStyle = '#000';
      drawn.fillRect(0, 0, side, side);
      drawn.drawImage(this.#canvas, bounds.left, bounds.top, wide, high, left, top, wide * scale, high * scale);
      return drawn.getImageData(0, 0, side, side).data;
    };
    const corner: [number, number] = [(side - wide * scale) / 2, (side - high * scale) / 2];
    const [across, down] = centerOf(draw(...corner));
    const pixels = draw(corner[0] + side / 2 - across, corner[1] + side / 2 - down);
    return Float32Array.from({ length: side * side }, (_, i) => pixels[4 * i] / 255);
  }
}

function centerOf(pixels: Uint8ClampedArray): [number, number] {
  let [mass, across, down] = [0, 0, 0];
  for (let i = 0; i < side * side; i++) {
    const weight = pixels[4 * i];
    mass += weight;
    across += weight * ((i % side) + 0.5);
    down += weight * (Math.floor(i / side) + 0.5);
  }
  return mass === 0 ? [side / 2, side / 2] : [across / mass, down / mass];
}
