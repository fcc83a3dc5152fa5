/** A visit to the page: uses it by what a user sees and touches, and records errors that a user would not notice. */

import type { Browser, Page } from './chromium.ts';

/** Returns a description of the result. Throws if the result is wrong. */
export type Scenario = (visit: Visit) => Promise<string>;

export interface DroppedFile {
  readonly name: string;
  readonly text?: string;
  /** One character for each byte. */
  readonly bytes?: string;
  readonly times?: number;
}

/** Milliseconds to wait for something before the check fails. */
const patience = 60_000;

interface SharedPage {
  readonly page: Page;
  /** Those of the current visit. */
  problems: string[];
}

/** The pages of a browser that visits to a site use, one visit after another, because to open one takes long. */
export class Pages {
  readonly #browser: Browser;
  /** By options and script. */
  readonly #pages = new Map<string, SharedPage>();
  readonly url: string;

  constructor(browser: Browser, url: string) {
    this.#browser = browser;
    this.url = url;
  }

  /** An empty page. `script` runs before those of the site, and `problems` gets what happens from now on. */
  async take(options: object, script: string, problems: string[]): Promise<Page> {
    const key = JSON.stringify([options, script]);
    const found = this.#pages.get(key) ?? (await this.#open(options, script));
    this.#pages.set(key, found);
    found.problems = problems;
    return found.page;
  }

  /** Runs in an empty page, and fails on any console error. Saves screenshots in the folder if there is one. */
  async run(scenario: Scenario, shots: string | null): Promise<string> {
    const visit = new Visit(this, shots);
    try {
      const verdict = await scenario(visit);
      if (visit.problems.length > 0) throw new Error(visit.problems.join('; '));
      return verdict;
    } finally {
      await visit.close();
    }
  }

  async #open(options: object, script: string): Promise<SharedPage> {
    const page = await this.#browser.newPage(options);
    const opened: SharedPage = { page, problems: [] };
    page.on('console', (message) => {
      if (message.type() === 'error') opened.problems.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => opened.problems.push(`page: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(this.url) && !/^(data|blob|about):/.test(request.url())) {
        opened.problems.push(`asked for ${request.url()}`);
      }
    });
    if (script !== '') await page.addInitScript(script);
    return opened;
  }
}

export class Visit {
  /** Console errors, violations of the policy, and requests to other hosts. */
  readonly problems: string[] = [];
  readonly #pages: Pages;
  readonly #shots: string | null;
  #page: Page | null = null;

  constructor(pages: Pages, shots: string | null) {
    this.#pages = pages;
    this.#shots = shots;
  }

  get page(): Page {
    if (!this.#page) throw new Error('check:demo: expected a page that was opened, got none.');
    return this.#page;
  }

  /** `address`: relative to the address of the site. `script`: runs before those of the page. */
  async open(address: string, options: object = {}, script = ''): Promise<Page> {
    await this.close();
    // Without screenshots, a small window is enough.
    const viewport = this.#shots ? { width: 1440, height: 900 } : { width: 1024, height: 720 };
    const page = await this.#pages.take({ viewport, ...options }, script, this.problems);
    this.#page = page;
    await page.goto(this.#pages.url + address);
    // tsx names functions with this helper, which is not defined in a page.
    await page.evaluate('globalThis.__name = (named) => named');
    return page;
  }

  /** Waits until an element has this text. */
  async sees(selector: string, pattern: RegExp): Promise<string> {
    const wanted = { selector, source: pattern.source };
    await this.page.waitForFunction(
      ({ selector: where, source }) => new RegExp(source).test(document.querySelector(where)?.textContent ?? ''),
      wanted,
      { timeout: patience },
    );
    return (await this.page.textContent(selector)) ?? '';
  }

  /** Switches from the theme of a dark system to light, dark and back, and resolves with the colors of the background. */
  async switchThemes(): Promise<string> {
    const background = (): Promise<string> => this.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const seen = [await background()];
    for (const title of [/light/, /dark/, /auto/]) {
      await this.page.click('#theme');
      await this.sees('#theme', title);
      seen.push(await background());
    }
    const [dark, light] = seen;
    if (dark === light || seen.join() !== [dark, light, dark, dark].join()) throw new Error(seen.join(' '));
    return seen.join(' ');
  }

  /** The errors of the eigenvectors in one column of the table. */
  async errors(column = 1): Promise<number[]> {
    return this.page.evaluate((at) => {
      const rows = [...document.querySelectorAll('#numbers tr')];
      const wanted = rows.filter((row) => row.firstElementChild?.textContent?.startsWith('error'));
      return wanted.map((row) => Number(row.children[at + 1]?.textContent?.replace('−', '-') ?? Number.NaN));
    }, column);
  }

  /** Waits until the errors are within these limits, and resolves with the errors. */
  async learns(bounds: readonly number[]): Promise<number[]> {
    const end = performance.now() + patience;
    for (;;) {
      const errors = await this.errors();
      if (errors.length >= bounds.length && bounds.every((bound, k) => errors[k] <= bound)) return errors;
      if (performance.now() > end) throw new Error(`errors ${errors.join(' / ')}, not within ${bounds.join(' / ')}`);
      await this.page.waitForTimeout(100);
    }
  }

  /** Drops files on the page. They are made in the page: a text, or a text of single bytes, as often as it is repeated. */
  async drop(...files: readonly DroppedFile[]): Promise<void> {
    await this.page.evaluate((list) => {
      const transfer = new DataTransfer();
      for (const { name, text = '', bytes, times = 1 } of list) {
        const part = new Blob([bytes ? Uint8Array.from(bytes, (one) => one.charCodeAt(0)) : text]);
        transfer.items.add(
          new File(
            Array.from({ length: times }, () => part),
            name,
          ),
        );
      }
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
    }, files);
  }

  /** Draws a vertical line on the pad for digits. The browser cannot capture a pointer that it does not know. */
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

  /** The number of steps in the table. */
  async steps(): Promise<number> {
    return this.page.evaluate(() => {
      const rows = [...document.querySelectorAll('#numbers tr')];
      const row = rows.find((one) => one.firstElementChild?.textContent === 'steps');
      return Number(row?.lastElementChild?.textContent?.replaceAll(',', ''));
    });
  }

  /** Chooses another method, and waits for its first numbers. */
  async chooseMethod(method: string): Promise<void> {
    await this.page.evaluate(() => {
      const run = document.querySelector<HTMLElement>('#run')!;
      if (run.textContent === 'Pause') run.click();
    });
    await this.sees('#run', /Train|Again/); // no frame of the method before is under way
    await this.page.selectOption('[name=method]', method);
    await this.page.evaluate(() => (document.querySelector('#numbers table')!.id = 'before'));
    await this.page.waitForFunction(
      () =>
        document.querySelector('#before') === null &&
        /steps[1-9]/.test(document.querySelector('#numbers')!.textContent!),
      null,
    );
  }

  /** Waits until the training has taken more steps. */
  async goesOn(): Promise<void> {
    const before = await this.steps();
    await this.page.waitForFunction((steps) => {
      const rows = [...document.querySelectorAll('#numbers tr')];
      const row = rows.find((one) => one.firstElementChild?.textContent === 'steps');
      return Number(row?.lastElementChild?.textContent?.replaceAll(',', '')) > steps;
    }, before);
  }

  /** Steps per second, counted for a while. */
  async speed(): Promise<number> {
    const milliseconds = 1200;
    const before = await this.steps();
    await this.page.waitForTimeout(milliseconds);
    return ((await this.steps()) - before) / (milliseconds / 1000);
  }

  /** Saves a screenshot in the folder for screenshots, if there is one. */
  async shoot(name: string): Promise<void> {
    if (this.#shots) await this.page.screenshot({ path: `${this.#shots}/${name}.png` });
  }

  async close(): Promise<void> {
    const page = this.#page;
    this.#page = null;
    await page?.goto('about:blank');
  }
}
