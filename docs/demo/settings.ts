/** The settings of the page, and their encoding in its address. */

export const dataNames = ['one-moon', 'two-moons', 'circles', 'swiss-roll', 'mnist', 'csv'] as const;
export type DataName = (typeof dataNames)[number];

/** Regression on landmarks, the Ritz head on landmarks, each method with each scheme, and SpecNet2 without old moments. */
export const methodNames = [
  'regression',
  'ritz',
  'specnet2-neighbor',
  'specnet2-corrected',
  'specnet2-edges',
  'specnet2-full',
  'specnet2-local',
  'specnet1-neighbor',
  'specnet1-full',
  'specnet1-local',
] as const;
export type MethodName = (typeof methodNames)[number];

/** These methods take more and more landmarks instead of steps. */
export type OnLandmarks = 'regression' | 'ritz';

export function isOnLandmarks(method: MethodName): method is OnLandmarks {
  return method === 'regression' || method === 'ritz';
}

export const tabNames = ['live', 'bench', 'verify'] as const;
export type TabName = (typeof tabNames)[number];

const graphKinds = ['auto', 'gaussian', 'knn', 'self-tuned'] as const;
const colorings = ['label', 'cluster', 'first', 'second'] as const;
export const clusterCounts = ['auto', '2', '3', '4', '5', '6', '7', '8', '9', '10'] as const;
const hiddenChoices = ['32', '64', '128', '64,64', '128,128', '256,256'] as const;
export const themes = ['system', 'light', 'dark'] as const;

/** One of the two methods that are compared. */
export interface Lane {
  readonly method: MethodName;
  readonly rate: number;
  readonly batch: number;
}

export interface Settings {
  readonly tab: TabName;
  readonly theme: (typeof themes)[number];
  readonly data: DataName;
  readonly points: number;
  readonly seed: number;
  readonly graph: (typeof graphKinds)[number];
  readonly sigma: number;
  readonly neighbors: number;
  readonly components: number;
  readonly hidden: (typeof hiddenChoices)[number];
  readonly lane: Lane;
  /** Null if only one method runs. */
  readonly rival: Lane | null;
  readonly color: (typeof colorings)[number];
  /** How many clusters are found if they color the points. */
  readonly clusters: (typeof clusterCounts)[number];
  readonly edges: boolean;
  readonly truth: boolean;
  readonly simd: boolean;
}

/** Rates and batches with which each method learns well on the moons. Landmark methods ignore them. */
export const usualLanes: Record<MethodName, Lane> = {
  regression: { method: 'regression', rate: 1e-3, batch: 8 },
  ritz: { method: 'ritz', rate: 1e-3, batch: 8 },
  'specnet2-neighbor': { method: 'specnet2-neighbor', rate: 3e-3, batch: 64 },
  'specnet2-corrected': { method: 'specnet2-corrected', rate: 3e-3, batch: 64 },
  'specnet2-edges': { method: 'specnet2-edges', rate: 3e-3, batch: 128 },
  'specnet2-full': { method: 'specnet2-full', rate: 3e-3, batch: 64 },
  'specnet2-local': { method: 'specnet2-local', rate: 1e-3, batch: 256 },
  'specnet1-neighbor': { method: 'specnet1-neighbor', rate: 1e-4, batch: 64 },
  'specnet1-full': { method: 'specnet1-full', rate: 3e-3, batch: 64 },
  'specnet1-local': { method: 'specnet1-local', rate: 1e-3, batch: 256 },
};

export const limits = {
  points: [50, 20_000],
  seed: [0, 999_999],
  sigma: [0.01, 100],
  neighbors: [2, 200],
  components: [2, 6],
  rate: [1e-6, 1],
  batch: [1, 4096],
} as const;

export const defaults: Settings = {
  tab: 'live',
  theme: 'system',
  data: 'two-moons',
  points: 2000,
  seed: 1,
  graph: 'auto',
  sigma: 0.15,
  neighbors: 16,
  components: 2,
  hidden: '64,64',
  lane: usualLanes['specnet2-neighbor'],
  rival: null,
  color: 'label',
  clusters: 'auto',
  edges: true,
  truth: true,
  simd: true,
};

/** Encodes only what differs from the defaults, so that common settings have a short address. */
export function toAddress(settings: Settings): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(flat(settings))) {
    if (value !== flat(defaults)[name]) words.set(name, value);
  }
  return words.toString().replaceAll('%2C', ',');
}

/** Decodes an address. Missing or invalid values get their defaults. */
export function fromAddress(address: string): Settings {
  const words = new URLSearchParams(address.replace(/^[?#]/, ''));
  const choice = <T extends string>(name: string, allowed: readonly T[], usual: T): T => {
    const word = words.get(name);
    return allowed.find((one) => one === word) ?? usual;
  };
  const number = (name: string, [least, most]: readonly [number, number], usual: number, whole = true): number => {
    const value = Number(words.get(name) ?? Number.NaN);
    return value >= least && value <= most && (!whole || Number.isInteger(value)) ? value : usual;
  };
  const flag = (name: string, usual: boolean): boolean => choice(name, ['on', 'off'], usual ? 'on' : 'off') === 'on';
  const laneOf = (suffix: string, usual: Lane | null): Lane | null => {
    const word = words.get(`method${suffix}`);
    const method = methodNames.find((one) => one === word) ?? usual?.method;
    if (word === 'none' || !method) return null;
    const { rate, batch } = usualLanes[method];
    return {
      method,
      rate: number(`rate${suffix}`, limits.rate, rate, false),
      batch: number(`batch${suffix}`, limits.batch, batch),
    };
  };
  return {
    tab: choice('tab', tabNames, defaults.tab),
    theme: choice('theme', themes, defaults.theme),
    data: choice('data', dataNames, defaults.data),
    points: number('points', limits.points, defaults.points),
    seed: number('seed', limits.seed, defaults.seed),
    graph: choice('graph', graphKinds, defaults.graph),
    sigma: number('sigma', limits.sigma, defaults.sigma, false),
    neighbors: number('neighbors', limits.neighbors, defaults.neighbors),
    components: number('components', limits.components, defaults.components),
    hidden: choice('hidden', hiddenChoices, defaults.hidden),
    lane: laneOf('', defaults.lane)!,
    rival: laneOf('2', null),
    color: choice('color', colorings, defaults.color),
    clusters: choice('clusters', clusterCounts, defaults.clusters),
    edges: flag('edges', defaults.edges),
    truth: flag('truth', defaults.truth),
    simd: flag('simd', defaults.simd),
  };
}

/** The settings as text fields. Rates and batches that are the defaults of the method are left out. */
function flat({ lane, rival, ...rest }: Settings): Record<string, string> {
  const words: Record<string, string> = {};
  for (const [name, value] of Object.entries(rest)) {
    words[name] = typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
  }
  for (const [suffix, one] of [
    ['', lane],
    ['2', rival],
  ] as const) {
    if (!one) continue;
    const usual = usualLanes[one.method];
    words[`method${suffix}`] = one.method;
    if (one.rate !== usual.rate) words[`rate${suffix}`] = String(one.rate);
    if (one.batch !== usual.batch) words[`batch${suffix}`] = String(one.batch);
  }
  return words;
}
