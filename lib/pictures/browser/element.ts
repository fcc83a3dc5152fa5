/** Short functions that find and create elements. */

/** Finds an element that must exist. */
export function query<T extends Element = HTMLElement>(selector: string): T {
  return document.querySelector<T>(selector)!;
}

export function element(name: string, text = '', className = ''): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

/** Creates an SVG element. */
export function shape(name: string, attributes: Record<string, string>, children: (Node | string)[] = []): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
