/** Converts Markdown to HTML. Supports only the few forms that these documents use. */

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes[character]);
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

export function titleOf(markdown: string): string {
  return (/^# (.*)$/m.exec(markdown)?.[1] ?? '').replace(/`/g, '');
}

/**
 * Supports headings, fenced and indented code, tables, lists and paragraphs; drops one-line comments. `link` maps a
 * link to its address on the site.
 */
export function toHtml(markdown: string, link: (target: string) => string): string {
  const lines = markdown.split('\n');
  const result: string[] = [];
  const take = (pattern: RegExp): string[] => {
    const taken: string[] = [];
    while (lines.length > 0 && pattern.test(lines[0])) taken.push(lines.shift()!);
    return taken;
  };
  while (lines.length > 0) {
    const [line] = lines;
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    const fence = /^```(\w*)$/.exec(line);
    if (line.trim() === '' || /^<!--.*-->$/.test(line)) lines.shift();
    else if (heading) {
      lines.shift();
      const level = heading[1].length;
      result.push(`<h${level} id="${anchorOf(heading[2])}">${inline(heading[2], link)}</h${level}>`);
    } else if (fence) {
      lines.shift();
      const code = take(/^(?!```$)/).join('\n');
      lines.shift();
      result.push(`<pre><code>${fence[1] === 'ts' ? highlight(code) : escapeHtml(code)}</code></pre>`);
    } else if (line.startsWith('|')) result.push(table(take(/^\|/), link));
    else if (/^(- |\d+\. )/.test(line)) result.push(list(take(/^(- |\d+\. | {2,}\S)/), link));
    else if (/^ {4}\S/.test(line)) {
      const code = take(/^( {4}|$)/).map((one) => one.slice(4));
      result.push(`<pre><code>${escapeHtml(code.join('\n').trimEnd())}</code></pre>`);
    } else {
      const text = take(/^(?!#{1,4} |```|\||- |\d+\. |\s*$)/).join(' ');
      const picture = /^!\[[^\]]*\]\([^)]*\)$/.test(text);
      result.push(picture ? `<figure>${inline(text, link)}</figure>` : `<p>${inline(text, link)}</p>`);
    }
  }
  return result.join('\n');
}

function table(rows: readonly string[], link: (target: string) => string): string {
  const cells = rows.map((row) =>
    row
      .replace(/^\||\|\s*$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll('\\|', '|'), link)),
  );
  const line = (row: readonly string[], name: string): string =>
    `<tr>${row.map((cell) => `<${name}>${cell}</${name}>`).join('')}</tr>`;
  const body = cells.slice(2).map((row) => line(row, 'td'));
  return `<div class="wide"><table>\n${line(cells[0], 'th')}\n${body.join('\n')}\n</table></div>`;
}

/** One item per bullet. Indented lines below it belong to the item. */
function list(lines: readonly string[], link: (target: string) => string): string {
  const items: string[] = [];
  for (const line of lines) {
    const mark = /^(?:- |\d+\. )(.*)$/.exec(line);
    if (mark) items.push(mark[1]);
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  const name = lines[0].startsWith('- ') ? 'ul' : 'ol';
  return `<${name}>\n${items.map((item) => `<li>${inline(item, link)}</li>`).join('\n')}\n</${name}>`;
}

/** Code comes first, so that nothing inside it is parsed as markup. */
function inline(text: string, link: (target: string) => string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : part))
    .map((part) => (part.startsWith('<code>') ? part : escapeHtml(part)))
    .join('')
    .replace(/!\[([^\]]*)\]\(([^)]+)\)/g, (_, words, target) => `<img alt="${words}" src="${link(target)}">`)
    .replace(/\[([^\]]*)\]\(([^)]+)\)/g, (_, words, target) => `<a href="${link(target)}">${words}</a>`)
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(?<![\w*])\*([^*\s][^*]*)\*(?!\w)/g, '<em>$1</em>');
}

const pieces =
  /(\/\/.*$|\/\*[\s\S]*?\*\/)|('(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\b(import|from|export|const|let|new|await|async|function|return|for|of|if|else|as|type|interface|class|extends|implements|readonly|declare|void|number|string|boolean|null|undefined|true|false|get)\b/gm;

/** Highlights comments, strings and keywords. */
export function highlight(code: string): string {
  let result = '';
  let end = 0;
  for (const match of code.matchAll(pieces)) {
    result += escapeHtml(code.slice(end, match.index));
    const kind = match[1] ? 'comment' : match[2] ? 'string' : 'word';
    result += `<span class="${kind}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return result + escapeHtml(code.slice(end));
}
