/** Tabs, operated by clicks or by the arrow keys, Home and End, as is usual for tabs. */

import { type TabName, tabNames } from '../settings.ts';
import { query } from '../../../lib/pictures/browser/element.ts';

const tabOf = (name: TabName): HTMLElement => query(`#tab-${name}`);

/** Moves from the focused tab. */
const ways: Readonly<Record<string, (at: number) => number>> = {
  ArrowLeft: (at) => (at + tabNames.length - 1) % tabNames.length,
  ArrowRight: (at) => (at + 1) % tabNames.length,
  Home: () => 0,
  End: () => tabNames.length - 1,
};

export function prepareTabs(choose: (tab: TabName) => void): void {
  for (const [at, name] of tabNames.entries()) {
    const tab = tabOf(name);
    tab.addEventListener('click', () => choose(name));
    tab.addEventListener('keydown', (event) => {
      const way = ways[event.key];
      if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const next = tabNames[way(at)];
      choose(next);
      tabOf(next).focus();
    });
  }
}

/** Only the selected tab is reached by the Tab key. */
export function showTab(chosen: TabName): void {
  for (const name of tabNames) {
    const isIt = name === chosen;
    query(`#${name}`).hidden = !isIt;
    tabOf(name).setAttribute('aria-selected', String(isIt));
    tabOf(name).tabIndex = isIt ? 0 : -1;
  }
}
