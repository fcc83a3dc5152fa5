/** Opens files that the user drops or chooses, and saves files as downloads. */

import { fileLimits, megabytes, otherwiseFor, shortName, type UserFile } from '../user-file.ts';

export interface FileEvents {
  onFile(file: UserFile): void;
  /** The message says why nothing is opened, and what to do. */
  onRefused(message: string): void;
}

export function prepareFiles({ onFile, onRefused }: FileEvents): void {
  let latest = 0;
  const take = async (files: readonly File[], folder: string | null): Promise<void> => {
    const request = ++latest;
    const refusal = refusalOf(files, folder);
    if (refusal !== null) return onRefused(refusal);
    const [{ name }] = files;
    try {
      const bytes = new Uint8Array(await files[0].arrayBuffer());
      if (request === latest) onFile({ name, bytes });
    } catch (error) {
      onRefused(`${shortName(name)} cannot be read: ${(error as Error).message} Drop it again.`);
    }
  };
  for (const input of document.querySelectorAll<HTMLInputElement>('input[type=file]')) {
    input.addEventListener('change', () => {
      const files = [...(input.files ?? [])];
      input.value = '';
      if (files.length > 0) void take(files, null);
    });
  }
  const { body } = document;
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    body.classList.add('dragging');
  });
  for (const kind of ['dragleave', 'drop'] as const) {
    document.addEventListener(kind, () => body.classList.remove('dragging'));
  }
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    const { files = [], items = [] } = event.dataTransfer ?? {};
    void take([...files], folderAmong([...items]));
  });
}

/** The name of a folder that was dropped. */
function folderAmong(items: readonly DataTransferItem[]): string | null {
  const entries = items.map((item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null));
  return entries.find((entry) => entry?.isDirectory)?.name ?? null;
}

/** Why these files are not opened; null if they are. */
export function refusalOf(
  files: readonly { readonly name: string; readonly size: number }[],
  folder: string | null,
): string | null {
  if (folder !== null) return `${shortName(folder)} is a folder. Drop one of its files.`;
  if (files.length === 0) return 'There was no file in what you dropped. Save it as a CSV file, and drop that.';
  if (files.length > 1) {
    const names = files.slice(0, 3).map(({ name }) => shortName(name));
    const more = files.length > names.length ? ' …' : '';
    return `Drop one file at a time, not ${files.length}: ${names.join(', ')}${more}`;
  }
  const [{ name, size }] = files;
  if (size <= fileLimits.bytes) return null;
  const limit = megabytes(fileLimits.bytes);
  return `${shortName(name)} has ${megabytes(size)}; this page reads up to ${limit}. ${otherwiseFor(name)}`;
}

/** Whether these are the bytes of `saveModel`, or are called so. */
export function isModel({ name, bytes }: UserFile): boolean {
  return name.endsWith('.specnet') || String.fromCharCode(...bytes.subarray(0, 8)) === 'specnet\n';
}

export function download(name: string, bytes: Uint8Array): void {
  const address = URL.createObjectURL(new Blob([bytes.slice()], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
