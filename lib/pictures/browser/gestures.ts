/** Pointer, wheel and keyboard input on the canvas, translated to moves, zooms and selections. */

export type Position = readonly [left: number, top: number];

export interface Gestures {
  /** The pointer moves without being pressed. Null: it left. */
  onHover(at: Position | null): void;
  onClick(at: Position): void;
  /** A drag by one pointer, in CSS pixels. `isAlternate`: with the Shift key or another button. */
  onDrag(at: Position, right: number, down: number, isAlternate: boolean): void;
  /** A wheel, a pinch or a key magnifies around a position. Null: around the middle. */
  onZoom(at: Position | null, factor: number): void;
  /** Two fingers move together. */
  onPan(at: Position, right: number, down: number): void;
  /** An arrow key: −1, 0 or 1 to the right and downward. */
  onArrow(right: number, down: number): void;
  /** The next (1) or the previous (−1) point. */
  onStep(by: 1 | -1): void;
  onReset(): void;
  onEscape(): void;
}

/** A press that moves less than this, in CSS pixels, is a click. */
const clickReach = 4;

export function listen(canvas: HTMLCanvasElement, gestures: Gestures): void {
  const pointers = new Map<number, Position>();
  let traveled = 0;
  const positionOf = ({ clientX, clientY }: MouseEvent): Position => {
    const { left, top } = canvas.getBoundingClientRect();
    return [clientX - left, clientY - top];
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, positionOf(event));
    traveled = pointers.size > 1 ? Infinity : 0;
  });
  canvas.addEventListener('pointermove', (event) => {
    const at = positionOf(event);
    const before = pointers.get(event.pointerId);
    if (!before) return gestures.onHover(at);
    const [right, down] = [at[0] - before[0], at[1] - before[1]];
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const [was, is] = [before, at].map((one) => Math.hypot(one[0] - other[0], one[1] - other[1]));
      const middle: Position = [(at[0] + other[0]) / 2, (at[1] + other[1]) / 2];
      if (was > 0) gestures.onZoom(middle, is / was);
      gestures.onPan(middle, right / 2, down / 2);
    } else {
      traveled += Math.hypot(right, down);
      if (traveled < clickReach) return;
      gestures.onDrag(before, right, down, event.shiftKey || event.buttons === 4);
    }
    pointers.set(event.pointerId, at);
  });
  const release = (event: PointerEvent): void => {
    if (!pointers.delete(event.pointerId)) return;
    if (event.type === 'pointerup' && event.button === 0 && traveled < clickReach) gestures.onClick(positionOf(event));
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', () => gestures.onHover(null));
  canvas.addEventListener('dblclick', () => gestures.onReset());
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const speed = event.ctrlKey ? 0.01 : 0.0015; // a pinch on a touchpad arrives as a wheel with the Control key
      gestures.onZoom(positionOf(event), Math.exp(-event.deltaY * lines * speed));
    },
    { passive: false },
  );
  const keys: Record<string, () => void> = {
    ArrowLeft: () => gestures.onArrow(-1, 0),
    ArrowRight: () => gestures.onArrow(1, 0),
    ArrowUp: () => gestures.onArrow(0, -1),
    ArrowDown: () => gestures.onArrow(0, 1),
    '+': () => gestures.onZoom(null, 1.25),
    '=': () => gestures.onZoom(null, 1.25),
    '-': () => gestures.onZoom(null, 0.8),
    '0': () => gestures.onReset(),
    n: () => gestures.onStep(1),
    p: () => gestures.onStep(-1),
    Escape: () => gestures.onEscape(),
  };
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
}
