/** How are elements found and made? In one line each. */

/** The one that is there. */
export function query<T extends Element = HTMLElement>(selector: string): T {
  return document.querySelector<T>(selector)!;
}

export function element(name: string, text = '', className = ''): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

/** A part of a drawing. */
export function shape(name: string, attributes: Record<string, string>, children: (Node | string)[] = []): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
