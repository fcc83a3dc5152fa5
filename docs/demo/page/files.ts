/** Opens files that the user drops or chooses, and saves files as downloads. */

export function prepareFiles(onFile: (name: string, bytes: Uint8Array) => void): void {
  const take = async (file: File | undefined): Promise<void> => {
    if (file) onFile(file.name, new Uint8Array(await file.arrayBuffer()));
  };
  const input = document.querySelector<HTMLInputElement>('#file')!;
  input.addEventListener('change', () => {
    void take(input.files?.[0]);
    input.value = '';
  });
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
    void take(event.dataTransfer?.files[0]);
  });
}

export function download(name: string, bytes: Uint8Array): void {
  const address = URL.createObjectURL(new Blob([bytes.slice()], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
