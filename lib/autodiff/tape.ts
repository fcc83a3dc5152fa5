/** How are gradients found? A tape writes down every operation and walks back over them; its buffers serve again after `reset`. */

import { badKind, badValue, showShape } from '../core/check.ts';
import { Tensor } from '../tensor/tensor.ts';
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

// oxlint-disable-next-line no-explicit-any -- nodes hold operations of every kind; `apply` has matched their parameters
type AnyOperation = Operation<any>;

/** What the tape knows of a variable, used again round after round; also the call that operations are given. */
class Node implements BackwardCall<unknown> {
  readonly workspace: Workspace;
  /** The nodes among the operands, null for constants. */
  readonly operands: (Node | null)[] = [];
  readonly inputs: Tensor[] = [];
  operation: AnyOperation | null = null;
  params: unknown = null;
  value!: Tensor;
  arrived: Tensor | null = null;
  /** What `prepare` made of the gradient, while the pullbacks run. */
  prepared: Tensor | null = null;

  constructor(workspace: Workspace) {
    this.workspace = workspace;
  }

  get gradient(): Tensor {
    return (this.prepared ?? this.arrived) as Tensor;
  }
}

export class Tape {
  /** Buffers of this round; operations take scratch from it too. */
  readonly workspace = new Workspace();
  readonly #nodes: Node[] = [];
  #length = 0;
  #round = 0;

  /** A variable with this value, the tensor itself. Its gradient is what `backward` is for. */
  watch(value: Tensor): Variable {
    if (!(value instanceof Tensor)) throw badKind('Tape.watch', 'a Tensor', value);
    const node = this.#next();
    node.operation = null;
    node.value = value;
    return this.#write();
  }

  /** Applies an operation and writes it down. */
  record<Params>(
    operation: Operation<Params>,
    operands: readonly Operand[],
    params: Params,
    caller = operation.name,
  ): Variable {
    const node = this.#next();
    node.operands.length = node.inputs.length = operands.length;
    for (let i = 0; i < operands.length; i++) {
      const operand = operands[i];
      const source = operand instanceof Variable ? this.read(caller, operand) : null;
      node.operands[i] = source as Node | null;
      node.inputs[i] = source ? source.value : (operand as Tensor);
    }
    const shape = operation.shape(node.inputs, params, caller);
    const precision = operation.precision?.(node.inputs, params) ?? node.inputs[0].precision;
    node.operation = operation;
    node.params = params;
    node.value = this.workspace.take(shape, precision);
    operation.forward(node as unknown as BackwardCall<Params>, node.value);
    return this.#write();
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
    const { value } = this.read('Tape.backward', root);
    for (let i = 0; i < this.#length; i++) this.#nodes[i].arrived = null;
    this.#nodes[root.index].arrived = this.#seedOf(value, seed);
    for (let i = root.index; i >= 0; i--) this.#pull(this.#nodes[i]);
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
      if (!operand) continue;
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
    if (!(seed instanceof Tensor)) throw badKind('Tape.backward', 'a Tensor as seed', seed);
    if (!sameShape(seed.shape, value.shape) || seed.precision !== value.precision) {
      const expected = `a seed like the root, ${describe(value)}`;
      throw badValue('Tape.backward', expected, describe(seed));
    }
    return seed;
  }

  /** The node that comes next; it is on the tape once `#write` says so. */
  #next(): Node {
    return (this.#nodes[this.#length] ??= new Node(this.workspace));
  }

  #write(): Variable {
    this.#nodes[this.#length].arrived = null;
    return new Variable(this, this.#length++, this.#round);
  }
}

/** Records where a variable is involved; else just computes, on a tape that nobody keeps. */
export function apply<Params>(
  operation: Operation<Params>,
  operands: readonly Operand[],
  params: Params,
  caller = operation.name,
): Operand {
  for (const operand of operands) checkOperand(caller, operand);
  const variable = operands.find((operand) => operand instanceof Variable);
  const result = (variable?.tape ?? new Tape()).record(operation, operands, params, caller);
  return variable ? result : result.value;
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

function describe(tensor: Tensor): string {
  return `${tensor.precision} precision of shape ${showShape(tensor.shape)}`;
}
