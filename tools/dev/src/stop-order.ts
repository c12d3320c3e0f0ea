/** Higher layers use the lower ones, so they stop first. */
export const Layer = { home: 0, data: 1, identityProvider: 2, services: 3, gateway: 4 } as const;
export type Layer = (typeof Layer)[keyof typeof Layer];

/** What was started so far, and in which order it has to end. */
export class StopOrder {
  readonly #stops: { layer: Layer; stop: () => Promise<void> }[] = [];

  add(layer: Layer, stop: () => Promise<void>): void {
    this.#stops.push({ layer, stop });
  }

  async stopAll(): Promise<void> {
    for (const layer of Object.values(Layer).sort((a, b) => b - a)) {
      const stops = this.#stops.filter((entry) => entry.layer === layer);
      await Promise.allSettled(stops.map(({ stop }) => stop()));
    }
  }
}
