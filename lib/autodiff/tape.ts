/** How are gradients found? A tape writes down every operation and walks back over them; its buffers serve again after `reset`. */

import { badKind, badValue, showShape } from '../core/check.ts';
import { type Shape, Tensor, zeros } from '../tensor/tensor.ts';
import { sameShape, Workspace } from '../tensor/workspace.ts';
import type { BackwardCall, Operation } from './operation.ts';

/** What operations accept: a tensor is a constant. */
export type Operand = Tensor | Variable;

/** A variable if one of the operands is, else a tensor. */
export type Result<A, B = never, C = never> = Extract<A | B | C, Variable> extends never ? Tensor : Variable;

/** A value on a tape, until the tape is reset. */
export interface Variable {
  readonly tape: Tape;
  readonly value: Tensor;
  /** After `backward`: the derivative of the root with respect to this; null where the root does not depend on it. */
  readonly gradient: Tensor | null;
}

// oxlint-disable-next-line no-explicit-any -- nodes hold operations of every kind; `apply` has matched their parameters
type AnyOperation = Operation<any>;

/** A variable as the tape sees it; also the call that its operation's functions are given. */
class Node implements Variable, BackwardCall<unknown> {
  readonly tape: Tape;
  readonly workspace: Workspace;
  readonly operands: (Operand | null)[] = [];
  readonly inputs: Tensor[] = [];
  index = 0;
  round = 0;
  operation: AnyOperation | null = null;
  params: unknown = null;
  value!: Tensor;
  arrived: Tensor | null = null;
  /** What `prepare` made of the gradient, while the pullbacks run. */
  prepared: Tensor | null = null;

  constructor(tape: Tape) {
    this.tape = tape;
    this.workspace = tape.workspace;
  }

  get gradient(): Tensor {
    return (this.prepared ?? this.arrived) as Tensor;
  }
}

export class Tape {
  /** Buffers of this round; operations take scratch from it too. */
  readonly workspace = new Workspace();
  /**
   * Two sets of nodes, used in turns: those of the round before stay what they were, so that a variable kept beyond
   * `reset` is recognised instead of standing for something else.
   */
  readonly #rounds: [Node[], Node[]] = [[], []];
  #round = 0;
  #length = 0;

  /** A variable with this value, the tensor itself. Its gradient is what `backward` is for. */
  watch(value: Tensor): Variable {
    if (!(value instanceof Tensor)) throw badKind('Tape.watch', 'a Tensor', value);
    const node = this.#next();
    node.operation = null;
    node.value = value;
    return node;
  }

  /** Applies an operation and writes it down. */
  record<Params>(operation: Operation<Params>, operands: readonly Operand[], params: Params): Variable {
    const node = this.#next();
    node.operands.length = node.inputs.length = operands.length;
    for (let i = 0; i < operands.length; i++) {
      const operand = operands[i];
      node.operands[i] = operand;
      node.inputs[i] = operand instanceof Node ? this.#current(operation.name, operand).value : (operand as Tensor);
    }
    const shape = operation.shape(node.inputs, params);
    const precision = operation.precision?.(node.inputs, params) ?? node.inputs[0].precision;
    node.operation = operation;
    node.params = params;
    node.value = this.workspace.take(shape, precision);
    operation.forward(node as unknown as BackwardCall<Params>, node.value);
    return node;
  }

  /**
   * Fills in the gradients of the root with respect to everything it was made of. `seed` is the gradient at the root
   * itself: of a single number it is 1 if not given, of anything else it must be.
   */
  backward(root: Variable, seed?: Tensor): void {
    if (!(root instanceof Node)) throw badKind('Tape.backward', 'a variable of this tape', root);
    const last = this.#current('Tape.backward', root);
    const nodes = this.#rounds[this.#round & 1];
    for (let i = 0; i < this.#length; i++) nodes[i].arrived = null;
    last.arrived = this.#seedOf(last.value, seed);
    for (let i = last.index; i >= 0; i--) this.#pull(nodes[i]);
  }

  /** Forgets everything: variables made so far are over, their tensors are handed out again. */
  reset(): void {
    this.workspace.reset();
    this.#round++;
    this.#length = 0;
  }

  /** Bytes of buffers held. */
  get bytes(): number {
    return this.workspace.bytes;
  }

  #pull(node: Node): void {
    const { operation } = node;
    if (!node.arrived || !operation) return;
    node.prepared = operation.prepare?.(node) ?? null;
    for (let i = 0; i < node.operands.length; i++) {
      const operand = node.operands[i];
      if (!(operand instanceof Node)) continue;
      const accumulate = operand.arrived !== null;
      operand.arrived ??= this.workspace.take(operand.value.shape, operand.value.precision);
      operation.pullbacks[i](node, operand.arrived, accumulate);
    }
    node.prepared = null;
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
    if (!sameShape(seed.shape, value.shape) || seed.precision !== value.precision) {
      const expected = `a seed like the root, ${describe(value)}`;
      throw badValue('Tape.backward', expected, describe(seed));
    }
    return seed;
  }

  #next(): Node {
    const nodes = this.#rounds[this.#round & 1];
    const node = (nodes[this.#length] ??= new Node(this));
    node.index = this.#length++;
    node.round = this.#round;
    node.arrived = null;
    return node;
  }

  /** A variable of this tape and of this round. */
  #current(caller: string, node: Node): Node {
    if (node.tape !== this) throw badValue(caller, 'variables of one tape', 'a variable of another one');
    if (node.round !== this.#round) {
      throw badValue(
        caller,
        'variables made since the last reset',
        'an older one',
        'Watch the tensor again after reset().',
      );
    }
    return node;
  }
}

/** Records where a variable is involved; else just computes, into a new tensor. */
export function apply<Params>(
  operation: Operation<Params>,
  operands: readonly Operand[],
  params: Params,
  caller = operation.name,
): Operand {
  let tape: Tape | null = null;
  for (const operand of operands) {
    if (operand instanceof Node) tape ??= operand.tape;
    else if (!(operand instanceof Tensor)) {
      throw badKind(caller, 'tensors or variables', operand, 'Use tensor() to convert numbers.');
    }
  }
  if (tape) return tape.record(operation, operands, params);
  const inputs = operands as readonly Tensor[];
  const shape: Shape = operation.shape(inputs, params);
  const value = zeros(shape, operation.precision?.(inputs, params) ?? inputs[0].precision);
  operation.forward({ inputs, params, workspace: new Workspace() }, value);
  return value;
}

/** The value as a constant: no gradient passes here. */
export function stopGradient(operand: Operand): Tensor {
  return operand instanceof Tensor ? operand : operand.value;
}

function describe(tensor: Tensor): string {
  return `${tensor.precision} precision of shape ${showShape(tensor.shape)}`;
}
