/** `Tape` and `Variable`: reverse-mode automatic differentiation. */

import { badKind, badValue, showShape } from '../core/check.ts';
import { Tensor, zeros } from '../tensor/tensor.ts';
import { sameShape, Workspace } from '../tensor/workspace.ts';
import type { BackwardCall, Operation } from './operation.ts';

/** An operand of an operation. A tensor is a constant. */
export type Operand = Tensor | Variable;

/** A variable if one of the operands is a variable, else a tensor. */
export type Result<A, B = never, C = never> = Extract<A | B | C, Variable> extends never ? Tensor : Variable;

/** A value on a tape. Valid until the tape is reset; every use after that throws an error. */
export class Variable {
  readonly tape: Tape;
  /** Its index on the tape, and the number of resets before it was created. */
  readonly index: number;
  readonly round: number;

  constructor(tape: Tape, index: number, round: number) {
    this.tape = tape;
    this.index = index;
    this.round = round;
  }

  get value(): Tensor {
    return this.tape.read('Variable.value', this).value;
  }

  /** After `backward`: the gradient of the root with respect to this variable; null if the root does not depend on it. */
  get gradient(): Tensor | null {
    return this.tape.read('Variable.gradient', this).delta;
  }
}

/** The tape's record of a variable. Operations receive it as their call. */
interface Node extends BackwardCall<unknown> {
  // oxlint-disable-next-line no-explicit-any -- nodes hold operations with any parameters; `record` has matched them
  readonly operation: Operation<any> | null;
  /** One for each operand, null for constants. */
  readonly operands: readonly (Node | null)[];
  /** The gradient of the root with respect to the value, summed over all uses; null before the backward pass reaches it. */
  delta: Tensor | null;
  /** What the pullbacks receive: the result of `prepare` if the operation has one, else `delta`. */
  gradient: Tensor;
}

/** Records operations, so that `backward` can compute gradients. After `reset` its buffers are reused. */
export class Tape {
  /** The buffers in use since the last reset, including the scratch memory of operations. */
  readonly workspace = new Workspace();
  readonly #nodes: Node[] = [];
  #round = 0;

  /** A variable with this value, which is not copied. `backward` computes its gradient. */
  watch(value: Tensor): Variable {
    if (!(value instanceof Tensor)) throw badKind('Tape.watch', 'a Tensor', value);
    return this.#append(null, [], [], null, value);
  }

  /** Applies an operation and records it. */
  record<Params>(
    operation: Operation<Params>,
    operands: readonly Operand[],
    params: Params,
    caller = operation.name,
  ): Variable {
    const { workspace } = this;
    const nodes = operands.map((operand) =>
      operand instanceof Variable ? (this.read(caller, operand) as Node) : null,
    );
    const inputs = operands.map((operand, i) => nodes[i]?.value ?? (operand as Tensor));
    const shape = operation.shape(inputs, params, caller);
    const precision = operation.precision?.(inputs, params) ?? inputs[0].precision;
    const value = workspace.take(shape, precision);
    operation.forward({ inputs, params, workspace }, value);
    return this.#append(operation, nodes, inputs, params, value);
  }

  /** The value and gradient of a variable of this tape that was created since the last reset. */
  read(caller: string, variable: Variable): { readonly value: Tensor; readonly delta: Tensor | null } {
    if (variable.tape !== this) throw badValue(caller, 'variables of the same tape', 'a variable of another tape');
    if (variable.round !== this.#round) {
      const remedy = 'Watch the tensor again after reset().';
      throw badValue(caller, 'variables created since the last reset', 'an older variable', remedy);
    }
    return this.#nodes[variable.index];
  }

  /**
   * Computes the gradients of the root with respect to all variables it depends on. `seed` is the gradient at the root.
   * Default: 1 if the root is a single number; required otherwise.
   */
  backward(root: Variable, seed?: Tensor): void {
    if (!(root instanceof Variable)) throw badKind('Tape.backward', 'a variable of this tape', root);
    const last = this.read('Tape.backward', root) as Node;
    for (const node of this.#nodes) node.delta = null;
    last.delta = this.#checkedSeed(last.value, seed);
    for (let i = root.index; i >= 0; i--) this.#propagate(this.#nodes[i]);
  }

  /** Clears the tape: all variables become invalid and their buffers are reused. */
  reset(): void {
    this.workspace.reset();
    this.#round++;
    this.#nodes.length = 0;
  }

  /** The total size of the buffers. */
  get bytes(): number {
    return this.workspace.bytes;
  }

  #propagate(node: Node): void {
    const { operation } = node;
    if (!node.delta || !operation) return;
    node.gradient = node.delta;
    node.gradient = operation.prepare?.(node) ?? node.delta;
    for (let i = 0; i < node.operands.length; i++) {
      const operand = node.operands[i];
      if (!operand) continue;
      const accumulate = operand.delta !== null;
      operand.delta ??= this.workspace.take(operand.value.shape, operand.value.precision);
      operation.pullbacks[i](node, operand.delta, accumulate);
    }
  }

  #checkedSeed(value: Tensor, seed: Tensor | undefined): Tensor {
    if (!seed) {
      if (value.size !== 1) {
        throw badValue(
          'Tape.backward',
          'a seed for a root that is not a single number',
          `shape ${showShape(value.shape)}`,
        );
      }
      const one = this.workspace.take(value.shape, value.precision);
      one.data[0] = 1;
      return one;
    }
    if (!(seed instanceof Tensor)) throw badKind('Tape.backward', 'a Tensor as seed', seed);
    if (sameShape(seed.shape, value.shape) && seed.precision === value.precision) return seed;
    const describe = ({ precision, shape }: Tensor): string => `${precision} precision and shape ${showShape(shape)}`;
    throw badValue('Tape.backward', `a seed of ${describe(value)}, like the root`, describe(seed));
  }

  #append(
    operation: Node['operation'],
    operands: Node['operands'],
    inputs: Node['inputs'],
    params: unknown,
    value: Tensor,
  ): Variable {
    const { workspace } = this;
    const node = { operation, operands, inputs, params, value, workspace, delta: null, gradient: value };
    return new Variable(this, this.#nodes.push(node) - 1, this.#round);
  }
}

/** Records the operation if an operand is a variable; else computes it into a new tensor. */
export function apply<Params>(
  operation: Operation<Params>,
  operands: readonly Operand[],
  params: Params,
  caller = operation.name,
): Operand {
  for (const operand of operands) checkOperand(caller, operand);
  const variable = operands.find((operand) => operand instanceof Variable);
  if (variable) return variable.tape.record(operation, operands, params, caller);
  const inputs = operands as readonly Tensor[];
  const shape = operation.shape(inputs, params, caller);
  const value = zeros(shape, operation.precision?.(inputs, params) ?? inputs[0].precision);
  operation.forward({ inputs, params, workspace: new Workspace() }, value);
  return value;
}

/** The value as a constant, through which no gradient passes. */
export function stopGradient(operand: Operand): Tensor {
  checkOperand('stopGradient', operand);
  return operand instanceof Tensor ? operand : operand.value;
}

function checkOperand(caller: string, operand: Operand): void {
  if (operand instanceof Tensor || operand instanceof Variable) return;
  throw badKind(caller, 'tensors or variables', operand, 'tensor() makes one.');
}
