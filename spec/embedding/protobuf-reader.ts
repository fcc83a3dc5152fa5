/** A minimal reader of protocol buffer messages, enough to inspect what was written. */

/** Field numbers and their values in order: integers or bytes. */
export type Message = ReadonlyMap<number, readonly (number | Uint8Array)[]>;

export function readMessage(bytes: Uint8Array): Message {
  const fields = new Map<number, (number | Uint8Array)[]>();
  let at = 0;
  const wholeNumber = (): number => {
    for (let value = 0, factor = 1; ; factor *= 128) {
      if (at >= bytes.length) throw new Error('a number without an end');
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new Error('bytes that are not there');
    return bytes.slice(at, (at += length));
  };
  while (at < bytes.length) {
    const key = wholeNumber();
    if (key % 8 !== 0 && key % 8 !== 2) throw new Error(`wire type ${key % 8}`);
    const value = key % 8 === 0 ? wholeNumber() : take(wholeNumber());
    const field = Math.floor(key / 8);
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}

export function texts(message: Message, field: number): string[] {
  return (message.get(field) ?? []).map((value) => new TextDecoder().decode(value as Uint8Array));
}

export function messages(message: Message, field: number): Message[] {
  return (message.get(field) ?? []).map((value) => readMessage(value as Uint8Array));
}

export function numbers(message: Message, field: number): number[] {
  return [...(message.get(field) ?? [])] as number[];
}
