/** Starts the Chromium of the system, driven by playwright-core, for checks of pages. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { installOnce } from '../../bench/competitors/install.ts';

/** The used part of playwright-core, typed here so that the project compiles without it. */
interface Playwright {
  readonly chromium: { launch(options: object): Promise<Browser> };
}

export interface Browser {
  version(): string;
  newPage(options?: object): Promise<Page>;
  close(): Promise<void>;
}

export interface Page {
  goto(url: string): Promise<unknown>;
  close(): Promise<void>;
  click(selector: string, options?: object): Promise<void>;
  check(selector: string): Promise<void>;
  uncheck(selector: string): Promise<void>;
  focus(selector: string): Promise<void>;
  hover(selector: string, options?: object): Promise<void>;
  selectOption(selector: string, value: string): Promise<unknown>;
  evaluate<T, A = undefined>(work: string | ((argument: A) => T | Promise<T>), argument?: A): Promise<T>;
  waitForFunction<A>(work: (argument: A) => unknown, argument: A, options?: object): Promise<unknown>;
  waitForSelector(selector: string, options?: object): Promise<unknown>;
  waitForEvent(name: 'download', options?: object): Promise<Download>;
  waitForTimeout(milliseconds: number): Promise<void>;
  setInputFiles(selector: string, file: object): Promise<void>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  screenshot(options: object): Promise<unknown>;
  textContent(selector: string): Promise<string | null>;
  on(name: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  on(name: 'pageerror', listener: (error: Error) => void): void;
  on(name: 'request', listener: (request: { url(): string }) => void): void;
  context(): { newCDPSession(page: Page): Promise<DevTools> };
  addInitScript(script: string): Promise<unknown>;
  fill(selector: string, text: string): Promise<void>;
  readonly keyboard: { press(key: string): Promise<void> };
  readonly mouse: {
    move(x: number, y: number, options?: object): Promise<void>;
    down(): Promise<void>;
    up(): Promise<void>;
    wheel(right: number, down: number): Promise<void>;
    dblclick(x: number, y: number): Promise<void>;
  };
}

/** A connection to the developer tools of a page. */
interface DevTools {
  send(
    method: string,
    options?: object,
  ): Promise<{ readonly metrics: readonly { readonly name: string; readonly value: number }[] }>;
}

interface Download {
  suggestedFilename(): string;
  path(): Promise<string>;
}

/** Usual paths of Chromium. The environment variable CHROMIUM names another path. */
const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The browser, or the reason why it is unavailable and how to fix that. */
export async function launchChromium(options: object = {}): Promise<Browser | string> {
  const { CHROMIUM: said } = process.env;
  const executablePath = (said ? [said] : usualPlaces).find((path) => existsSync(path));
  if (!executablePath) {
    const places = said ?? usualPlaces.join(', ');
    return `there is no Chromium at ${places}. Install it (on Debian: apt-get install chromium), or say where it is: CHROMIUM=PATH.`;
  }
  const folder = new URL('./packages/browser/', import.meta.url);
  const failure = installOnce(fileURLToPath(folder));
  if (failure) return `playwright-core is not to be had: ${failure}`;
  const { chromium } = createRequire(new URL('package.json', folder))('playwright-core') as Playwright;
  try {
    return await chromium.launch({ executablePath, ...options });
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    return `${executablePath} does not start: ${reason} Another one can be named: CHROMIUM=PATH.`;
  }
}
