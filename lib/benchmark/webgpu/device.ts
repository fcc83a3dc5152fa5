/** A graphics card by WebGPU: A·X for a matrix in its memory. The types name the used part of the interface of browsers. */

import type { CsrMatrix } from '../../sparse/csr.ts';
import { groupCount, type ProductShape, productShader } from './shader.ts';

/** `navigator.gpu`. */
export interface WebGpu {
  requestAdapter(): Promise<GpuAdapter | null>;
}

interface GpuAdapter {
  readonly limits: GpuLimits;
  readonly info?: { readonly vendor: string; readonly architecture: string; readonly description: string };
  requestDevice(options: { requiredLimits: object }): Promise<GpuDevice>;
}

interface GpuLimits {
  readonly maxStorageBufferBindingSize: number;
  readonly maxBufferSize: number;
  readonly maxComputeWorkgroupsPerDimension: number;
}

interface GpuDevice {
  readonly limits: GpuLimits;
  readonly queue: {
    writeBuffer(buffer: GpuBuffer, offset: number, data: ArrayBufferView): void;
    submit(commands: readonly object[]): void;
    onSubmittedWorkDone(): Promise<void>;
  };
  createBuffer(options: { size: number; usage: number }): GpuBuffer;
  createShaderModule(options: { code: string }): object;
  createComputePipelineAsync(options: object): Promise<{ getBindGroupLayout(group: number): object }>;
  createBindGroup(options: object): object;
  createCommandEncoder(): GpuEncoder;
  pushErrorScope(kind: 'validation' | 'out-of-memory'): void;
  popErrorScope(): Promise<{ readonly message: string } | null>;
  destroy(): void;
}

interface GpuBuffer {
  mapAsync(mode: number): Promise<void>;
  getMappedRange(): ArrayBuffer;
  unmap(): void;
  destroy(): void;
}

interface GpuEncoder {
  beginComputePass(): {
    setPipeline(pipeline: object): void;
    setBindGroup(group: number, bindings: object): void;
    dispatchWorkgroups(x: number, y: number): void;
    end(): void;
  };
  copyBufferToBuffer(from: GpuBuffer, fromOffset: number, to: GpuBuffer, toOffset: number, size: number): void;
  finish(): object;
}

/** The flags of buffers, by the standard. */
const usage = { mapRead: 1, copyFrom: 4, copyTo: 8, storage: 128 };
const readMode = 1;

/** A product that is ready to run on the card. */
export interface CardProduct {
  /** Runs it so often, one after another, and waits for the last. */
  run(calls: number): Promise<void>;
  read(): Promise<Float32Array>;
  close(): void;
}

/** A card that computes products. */
export interface Card {
  /** Vendor and architecture, as far as the browser says. */
  readonly name: string;
  /** Uploads all arrays. Rejects, with a reason, if they do not fit or the program does not compile. */
  load(matrix: CsrMatrix, shape: ProductShape, x: Float32Array): Promise<CardProduct>;
  close(): void;
}

/** The graphics card that the browser offers, or the reason why there is none. */
export async function openCard(gpu: WebGpu | undefined): Promise<Card | string> {
  if (!gpu) return 'this browser has no WebGPU, or the page is not a secure one';
  try {
    const adapter = await gpu.requestAdapter();
    if (!adapter) return 'the browser has WebGPU, but found no graphics card for it';
    const { maxStorageBufferBindingSize, maxBufferSize } = adapter.limits;
    const device = await adapter.requestDevice({ requiredLimits: { maxStorageBufferBindingSize, maxBufferSize } });
    const { vendor = '', architecture = '', description = '' } = adapter.info ?? {};
    const name = description || [vendor, architecture].filter((word) => word !== '').join(' ') || 'graphics card';
    return { name, load: (...product) => loadProduct(device, ...product), close: () => device.destroy() };
  } catch (error) {
    return `WebGPU does not start: ${(error as Error).message}`;
  }
}

async function loadProduct(
  device: GpuDevice,
  { starts, columns, values }: CsrMatrix,
  shape: ProductShape,
  x: Float32Array,
): Promise<CardProduct> {
  const { rows, width } = shape;
  const largest = Math.max(starts.byteLength, values.byteLength, x.byteLength, 4 * rows * width);
  const { maxStorageBufferBindingSize: most, maxComputeWorkgroupsPerDimension: mostGroups } = device.limits;
  if (largest > most) throw new RangeError(`an array has ${largest} bytes, and the card takes ${most}`);
  const buffers: GpuBuffer[] = [];
  const make = (size: number, flags: number): GpuBuffer => {
    const buffer = device.createBuffer({ size, usage: flags });
    buffers.push(buffer);
    return buffer;
  };
  const close = (): void => buffers.forEach((buffer) => buffer.destroy());
  const upload = (data: Int32Array | Float32Array): GpuBuffer => {
    const buffer = make(Math.max(16, data.byteLength), usage.storage | usage.copyTo);
    // A browser does not take views of shared memory.
    device.queue.writeBuffer(buffer, 0, data.slice());
    return buffer;
  };
  try {
    device.pushErrorScope('out-of-memory');
    device.pushErrorScope('validation');
    const inputs = [upload(starts), upload(columns), upload(values as Float32Array), upload(x)];
    const size = 4 * rows * width;
    const result = make(Math.max(16, size), usage.storage | usage.copyFrom);
    const copy = make(Math.max(16, size), usage.mapRead | usage.copyTo);
    const module = device.createShaderModule({ code: productShader(shape) });
    const pipeline = await device.createComputePipelineAsync({
      layout: 'auto',
      compute: { module, entryPoint: 'main' },
    });
    const entries = [...inputs, result].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const bindings = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    const [invalid, outOfMemory] = [await device.popErrorScope(), await device.popErrorScope()];
    // Where memory runs out, what follows is invalid too.
    const problem = outOfMemory ?? invalid;
    if (problem) throw new Error(problem.message);
    const groups = Math.max(1, groupCount(shape));
    const across = Math.min(groups, mostGroups);
    const down = Math.ceil(groups / across);
    return {
      run: async (calls) => {
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, bindings);
        for (let call = 0; call < calls; call++) pass.dispatchWorkgroups(across, down);
        pass.end();
        device.queue.submit([encoder.finish()]);
        await device.queue.onSubmittedWorkDone();
      },
      read: async () => {
        const encoder = device.createCommandEncoder();
        encoder.copyBufferToBuffer(result, 0, copy, 0, size);
        device.queue.submit([encoder.finish()]);
        await copy.mapAsync(readMode);
        const found = new Float32Array(copy.getMappedRange().slice(0, size));
        copy.unmap();
        return found;
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
