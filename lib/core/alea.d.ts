/** The one generator used from seedrandom, imported alone so that bundles include neither ARC4 nor Node's crypto. */
declare module 'seedrandom/lib/alea.js' {
  interface AleaState {
    readonly c: number;
    readonly s0: number;
    readonly s1: number;
    readonly s2: number;
  }
  interface Alea {
    double(): number;
    state(): AleaState;
  }
  export default function alea(seed: string, options: { state: true | AleaState }): Alea;
}
