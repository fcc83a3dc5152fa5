/** How does a check use the page? As people do: by what they see and touch; and it notices what they would not. */

import type { Browser, Page } from './chromium.ts';

/** What it comes to, in words; it throws where that is wrong. */
export type Deed = (visit: Visit) => Promise<string>;

/** Milliseconds until something that was waited for has not come. */
const patience = 60_000;

export class Visit {
  /** Errors of the console, refused by the policy, or asked from elsewhere. */
  readonly problems: string[] = [];
  readonly #browser: Browser;
  readonly #url: string;
  readonly #shots: string | null;
  #page: Page | null = null;

  constructor(browser: Browser, url: string, shots: string | null) {
    this.#browser = browser;
    this.#url = url;
    this.#shots = shots;
  }

  get page(): Page {
    if (!this.#page) throw new Error('check:demo: expected a page that was opened, got none.');
    return this.#page;
  }

  /** `address`: what follows the site's own. */
  async open(address: string, options: object = {}): Promise<Page> {
    await this.close();
    // What is not kept as a picture need not be large.
    const viewport = this.#shots ? { width: 1440, height: 900 } : { width: 1024, height: 720 };
    const page = await this.#browser.newPage({ viewport, ...options });
    this.#page = page;
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.problems.push(`page: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(this.#url) && !/^(data|blob):/.test(request.url())) {
        this.problems.push(`asked for ${request.url()}`);
      }
    });
    await page.goto(this.#url + address);
    // What runs these files gives names to functions by this one, which a page does not know.
    await page.evaluate('globalThis.__name = (named) => named');
    return page;
  }

  /** Until some text is there. */
  async sees(selector: string, pattern: RegExp): Promise<string> {
    const wanted = { selector, source: pattern.source };
    await this.page.waitForFunction(
      ({ selector: where, source }) => new RegExp(source).test(document.querySelector(where)?.textContent ?? ''),
      wanted,
      { timeout: patience },
    );
    return (await this.page.textContent(selector)) ?? '';
  }

  /** The errors of the eigenvectors that the table shows, of one column. */
  async errors(column = 1): Promise<number[]> {
    return this.page.evaluate((at) => {
      const rows = [...document.querySelectorAll('#numbers tr')];
      const wanted = rows.filter((row) => row.firstElementChild?.textContent?.startsWith('error'));
      return wanted.map((row) => Number(row.children[at + 1]?.textContent?.replace('−', '-') ?? Number.NaN));
    }, column);
  }

  /** Until the errors are within these; resolves with them. */
  async learns(bounds: readonly number[]): Promise<number[]> {
    const end = performance.now() + patience;
    for (;;) {
      const errors = await this.errors();
      if (errors.length >= bounds.length && bounds.every((bound, k) => errors[k] <= bound)) return errors;
      if (performance.now() > end) throw new Error(`errors ${errors.join(' / ')}, not within ${bounds.join(' / ')}`);
      await this.page.waitForTimeout(100);
    }
  }

  /** A file of this text, dropped on the page. */
  async drop(name: string, text: string): Promise<void> {
    await this.page.evaluate(
      (file) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([file.text], file.name, { type: 'text/csv' }));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
      },
      { name, text },
    );
  }

  /** Down the middle of the pad for digits; a pointer of which the browser knows nothing cannot be captured. */
  async drawStroke(): Promise<void> {
    await this.page.evaluate(() => {
      const pad = document.querySelector('#pad')!;
      pad.scrollIntoView();
      pad.setPointerCapture = () => {};
      const { left, top } = pad.getBoundingClientRect();
      const touch = (kind: string, x: number, y: number): void => {
        pad.dispatchEvent(new PointerEvent(kind, { clientX: left + x, clientY: top + y, pointerId: 1 }));
      };
      touch('pointerdown', 48, 15);
      for (let y = 15; y <= 80; y += 5) touch('pointermove', 48, y);
      touch('pointerup', 48, 80);
      scrollTo(0, 0);
    });
  }

  /** Steps that were taken, as the table counts them. */
  async steps(): Promise<number> {
    return this.page.evaluate(() => {
      const rows = [...document.querySelectorAll('#numbers tr')];
      const row = rows.find((one) => one.firstElementChild?.textContent === 'steps');
      return Number(row?.lastElementChild?.textContent?.replaceAll(',', ''));
    });
  }

  /** Steps a second, counted for a while. */
  async speed(): Promise<number> {
    const milliseconds = 1200;
    const before = await this.steps();
    await this.page.waitForTimeout(milliseconds);
    return ((await this.steps()) - before) / (milliseconds / 1000);
  }

  /** Puts a picture of what is seen into the folder for pictures, if there is one. */
  async shoot(name: string): Promise<void> {
    if (this.#shots) await this.page.screenshot({ path: `${this.#shots}/${name}.png` });
  }

  async close(): Promise<void> {
    await this.#page?.close();
    this.#page = null;
  }
}
