import { setTimeout as delay } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { histogramIn, type HistogramOptions, type Observe } from './histogram.ts';
import { logLinesLost } from './log-lines.ts';
import { serveMetrics, type MetricsPage, type Readiness } from './metrics-page.ts';
import { hostAndPort } from './settings.ts';

export type { Readiness } from './metrics-page.ts';

/** The variable that says where a service serves its metrics. */
export const metricsSettings = {
  METRICS_LISTEN: hostAndPort({
    default: '127.0.0.1:0',
    defaultDescription: 'any free port',
    description: 'where Prometheus finds `/metrics`; the ready line and `run.json` say which port it is',
  }),
} as const;

/** What a process tells about itself in numbers. Values of labels come from small sets: each series stays for good. */
export interface Metrics {
  /** Answers what counts one; the same counter for whoever names it again. */
  counter(name: string, help: string, labels?: readonly string[]): (...values: string[]) => void;
  /** Answers what takes a measurement. */
  histogram(options: HistogramOptions): (measured: number, ...values: string[]) => void;
  /**
   * Reads a number whenever metrics are collected. There is none while reading answers none, fails or takes longer than two seconds.
   * A name may be observed several times, each with other values of the same labels. One that ends in `_total` is shown as a counter.
   */
  observe(name: string, help: string, read: ReadNumber, labels?: Readonly<Record<string, string>>): void;
  /**
   * Reads whenever metrics are collected how it stands with each of some things, such as organisations, of which there are others the next time: those that
   * reading does not answer any more are gone. Reading bounds how many they are, for each that was ever shown is a series in Prometheus.
   */
  observeEach(name: string, help: string, label: string, read: () => Promise<ReadonlyMap<string, number>>): void;
  /**
   * Serves `GET /metrics`, `GET /healthz` and `GET /readyz`, which says whether this process is ready, at `host:port`; port 0 takes any free
   * one.
   */
  serve(listen: string, readiness?: () => Readiness | Promise<Readiness>): Promise<MetricsPage>;
}

type ReadNumber = () => number | undefined | Promise<number | undefined>;

/** Well below the ten seconds that Prometheus waits for a page. */
const READ_LIMIT_MS = 2_000;

const EVENT_LOOP_PRECISION_MS = 1_000;

/** Gauges with the name of a counter, which checks of metrics refuse; each is the sum of one that is there without the `_total`. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Metrics of this process, with those of Node and of its log among them. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // Its timer wakes the process each time it measures: a hundred times a second unless told otherwise.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  new Counter({
    name: 'log_lines_lost_total',
    help: 'Log lines given up because they could not be written.',
    registers,
    collect() {
      this.reset();
      this.inc(logLinesLost());
    },
  });

  const counters = new Map<string, Counter>();
  const observed = new Map<string, { labels: Readonly<Record<string, string>>; read: ReadNumber }[]>();

  return {
    counter(name, help, labels = []) {
      const counter = counters.get(name) ?? new Counter({ name, help, labelNames: [...labels], registers });
      counters.set(name, counter);
      const seriesOf = settled((...values) => counter.labels(...values));
      return (...values) => seriesOf(values).inc();
    },
    histogram(options) {
      const seriesOf = settled<Observe>(histogramIn(registry, options));
      // The only one that there is shows before anything is measured.
      if (options.labels.length === 0) seriesOf([]);
      return (measured, ...values) => seriesOf(values)(measured);
    },
    observe(name, help, read, labels = {}) {
      const known = observed.get(name);
      const series = known ?? [];
      series.push({ labels, read });
      if (known) return;
      observed.set(name, series);
      const collect = async () => {
        const values = await Promise.all(series.map((one) => inTime(one.read)));
        series.forEach((one, index) => {
          const value = values[index];
          shown.remove(one.labels);
          if (value === undefined) return;
          if (shown instanceof Counter) shown.inc(one.labels, value);
          else shown.set(one.labels, value);
        });
      };
      const options = { name, help, labelNames: Object.keys(labels), registers, collect };
      const shown = name.endsWith('_total') ? new Counter(options) : new Gauge(options);
    },
    observeEach(name, help, label, read) {
      const collect = async () => {
        const values = await inTime(read);
        shown.reset();
        for (const [value, number] of values ?? []) shown.set({ [label]: value }, number);
      };
      const shown = new Gauge({ name, help, labelNames: [label], registers, collect });
    },
    serve: (listen, readiness = () => ({ isReady: true })) =>
      serveMetrics({ contentType: registry.contentType, text: () => registry.metrics(), readiness }, listen),
  };
}

/** prom-client hashes labels on every call; the set of their values is small and settles. */
function settled<T>(find: (...values: string[]) => T): (values: readonly string[]) => T {
  const found = new Map<string, T>();
  return (values) => {
    const key = values.join(' ');
    let series = found.get(key);
    if (series === undefined) found.set(key, (series = find(...values)));
    return series;
  };
}

/** Undefined when it fails or takes too long; whoever needs to know why hears it where it fails. */
async function inTime<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  try {
    return await Promise.race([read(), delay(READ_LIMIT_MS, undefined, { signal: done.signal })]);
  } catch {
    return undefined;
  } finally {
    done.abort();
  }
}
