/** The data of a page as JSON: a picture whose arrays are packed. */

import { type Packed, pack, unpack } from './packed.ts';
import type { ClassField, Field, NumberField, Picture, TextField } from './picture.ts';

/** The picture, with packed arrays in place of typed ones. */
export interface PageData extends Omit<Picture, 'coordinates' | 'fields'> {
  readonly coordinates: readonly { readonly name: string; readonly values: Packed }[];
  readonly fields: readonly (
    | (Omit<NumberField, 'values'> & { readonly values: Packed })
    | (Omit<ClassField, 'codes'> & { readonly codes: Packed })
    | TextField
  )[];
}

export function packPicture(picture: Picture): PageData {
  return {
    ...picture,
    coordinates: picture.coordinates.map(({ name, values }) => ({ name, values: pack(values) })),
    fields: picture.fields.map((field) => {
      if (field.kind === 'numbers') return { ...field, values: pack(field.values) };
      return field.kind === 'classes' ? { ...field, codes: pack(field.codes) } : field;
    }),
  };
}

export function unpackPicture(data: PageData): Picture {
  return {
    ...data,
    coordinates: data.coordinates.map(({ name, values }) => ({ name, values: unpack(values) as Float32Array })),
    fields: data.fields.map((field): Field => {
      if (field.kind === 'numbers') return { ...field, values: unpack(field.values) };
      return field.kind === 'classes' ? { ...field, codes: unpack(field.codes) } : field;
    }),
  };
}
