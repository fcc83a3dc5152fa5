/** How are gradients found? A tape writes down every operation and walks back over them; its buffers serve again after `reset`. */

import { badKind, badValue, showShape } from '../core/check.ts';
import { type Precision, type Shape, Tensor, zeros } from '../tensor/tensor.ts';
import { sameShape, Workspace } from '../tensor/workspace.ts';
import type { BackwardCall, Operation } from './operation.ts';

/** What operations accept: a tensor is a constant. */
export type Operand = Tensor | Variable;

/** A variable if one of the operands is, else a tensor. */
export type Result<A, B = never, C = never> = Extract<A | B | C, Variable> extends never ? Tensor : Variable;

/** A value on a tape, until the tape is reset; after that it is refused wherever it turns up. */
export class Variable {
  readonly tape: Tape;
  /** Its place on the tape, and the round between two resets that it belongs to. */
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

  /** After `backward`: the derivative of the root with respect to this; null where the root does not depend on it. */
  get gradient(): Tensor | null {
    return this.tape.read('Variable.gradient', this).arrived;
  }
}

/** What the tape knows of a variable; also the call that operations are given. */
interface Node extends BackwardCall<unknown> {
  // oxlint-disable-next-line no-explicit-any -- nodes hold operations of every kind; `record` has matched their parameters
  readonly operation: Operation<any> | null;
  /** The nodes among the operands, null for constants. */
  readonly operands: readonly (Node | null)[];
  arrived: Tensor | null;
  /** What `prepare` made of the gradient that arrived, if there is such a thing. */
  gradient: Tensor;
}

/** Writes operations down as they happen, so that `backward` finds gradients. After `reset` its buffers serve again. */
export class Tape {
  /** Buffers of this round; operations take scratch from it too. */
  readonly workspace = new Workspace();
  readonly #nodes: Node[] = [];
  #round = 0;

  /** A variable with this value, the tensor itself. Its gradient is what `backward` is for. */
  watch(value: Tensor): Variable {
    if (!(value instanceof Tensor)) throw badKind('Tape.watch', 'a Tensor', value);
    return this.#write(null, [], [], null, value);
  }

  /** Applies an operation and writes it down. */
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
    return this.#write(operation, nodes, inputs, params, value);
  }

  /** What a variable of this tape and of this round stands for. */
  read(caller: string, variable: Variable): { readonly value: Tensor; readonly arrived: Tensor | null } {
    if (variable.tape !== this) throw badValue(caller, 'variables of one tape', 'a variable of another one');
    if (variable.round !== this.#round) {
      const remedy = 'Watch the tensor again after reset().';
      throw badValue(caller, 'variables made since the last reset', 'an older one', remedy);
    }
    return this.#nodes[variable.index];
  }

  /**
   * Fills in the gradients of the root with respect to everything it was made of. `seed` is the gradient at the root
   * itself: of a single number it is 1 if not given, of anything else it must be.
   */
  backward(root: Variable, seed?: Tensor): void {
    if (!(root instanceof Variable)) throw badKind('Tape.backward', 'a variable of this tape', root);
    const last = this.read('Tape.backward', root) as Node;
    for (const node of this.#nodes) node.arrived = null;
    last.arrived = this.#seedOf(last.value, seed);
    for (let i = root.index; i >= 0; i--) this.#pull(this.#nodes[i]);
  }

  /** Forgets everything: variables made so far are over, their tensors are handed out again. */
  reset(): void {
    this.workspace.reset();
    this.#round++;
    this.#nodes.length = 0;
  }

  /** Bytes of buffers held. */
  get bytes(): number {
    return this.workspace.bytes;
  }

  #pull(node: Node): void {
    const { operation } = node;
    if (!node.arrived || !operation) return;
    node.gradient = node.arrived;
    node.gradient = operation.prepare?.(node) ?? node.arrived;
    for (let i = 0; i < node.operands.length; i++) {
      const operand = node.operands[i];
      if (!operand) continue;
      const accumulate = operand.arrived !== null;
      operand.arrived ??= this.workspace.take(operand.value.shape, operand.value.precision);
      operation.pullbacks[i](node, operand.arrived, accumulate);
    }
  }

  #seedOf(value: Tensor, seed: Tensor | undefined): Tensor {
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
    checkLike('Tape.backward', 'a seed like the root', value.shape, value.precision, seed);
    return seed;
  }

  #write(
    operation: Node['operation'],
    operands: Node['operands'],
    inputs: Node['inputs'],
    params: unknown,
    value: Tensor,
  ): Variable {
    const { workspace } = this;
    const node = { operation, operands, inputs, params, value, workspace, arrived: null, gradient: value };
    return new Variable(this, this.#nodes.push(node) - 1, this.#round);
  }
}

/** Records where a variable is involved; else just computes, into a new tensor. */
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

/** The value as a constant: no gradient passes here. */
export function stopGradient(operand: Operand): Tensor {
  checkOperand('stopGradient', operand);
  return operand instanceof Tensor ? operand : operand.value;
}

function checkOperand(caller: string, operand: Operand): void {
  if (operand instanceof Tensor || operand instanceof Variable) return;
  throw badKind(caller, 'tensors or variables', operand, 'tensor() makes one.');
}

function checkLike(caller: string, name: string, shape: Shape, precision: Precision, tensor: Tensor): void {
  if (sameShape(tensor.shape, shape) && tensor.precision === precision) return;
  const describe = (s: Shape, p: Precision): string => `${p} precision of shape ${showShape(s)}`;
  throw badValue(caller, `${name}, ${describe(shape, precision)}`, describe(tensor.shape, tensor.precision));
}
