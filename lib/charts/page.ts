/** The frame of a self-contained HTML page. */

export interface Page {
  /** Plain text without < and &. */
  readonly title: string;
  readonly style: string;
  readonly body: string;
}

export function htmlPage({ title, style, body }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}
</style>
</head>
<body>
${body}
</body>
</html>
`;
}
