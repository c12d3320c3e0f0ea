import { nearestName } from './nearest-name.ts';
import { errorItem, Problem, type ErrorItem } from './problem.ts';
import { redacted, shownInput, shownText, type Secrets } from './shown-input.ts';

/** Where a value stood: `["body", "members", 3]`. */
export type Loc = readonly (string | number)[];

const noSecrets: Secrets = new Set();

/** More findings than this are not reported: a small body must not cause a huge answer. */
const maxItems = 500;

/** Collects what is wrong with a request, in the order in which it is found. */
export class Findings {
  readonly items: ErrorItem[] = [];
  /** Whether names that nobody knows are wrong; otherwise they are ignored. */
  readonly isStrict: boolean;
  /** What is shown of an object: it is echoed with each field that it lacks. */
  readonly #shown = new Map<object, { readonly secrets: Secrets; readonly shown: unknown }>();

  readonly #tags = new WeakMap<object, string>();

  constructor({ isStrict = false }: { readonly isStrict?: boolean } = {}) {
    this.isStrict = isStrict;
  }

  /** Says that a key of an object tells which message it is, and is none of its fields. */
  noteTag(object: object, key: string): void {
    if (this.isStrict) this.#tags.set(object, key);
  }

  /**
   * Where that is wrong, reports each key of an object that is none of those known, with the one that it may have been meant for. What it
   * was to hold is not shown: it may be a secret under a wrong name.
   */
  addUnknown(object: object, known: readonly string[], loc: Loc): void {
    if (!this.isStrict) return;
    const tag = this.#tags.get(object);
    for (const name of Object.keys(object)) {
      // Looking for the nearest name costs more than reading one, and whoever sends ten thousand of them is told of no more.
      if (this.items.length >= maxItems) return;
      if (name === tag || known.includes(name)) continue;
      const nearest = nearestName(name, known);
      const hint = nearest === undefined ? '' : `: did you mean '${nearest}'?`;
      const ctx = nearest === undefined ? undefined : { nearest };
      const before = this.items.length;
      this.add(new Problem('extra_forbidden', `Extra inputs are not permitted${hint}`, ctx), [...loc, name], null);
      this.redactSince(before);
    }
  }

  add(problem: Problem, loc: Loc, input: unknown, secrets: Secrets = noSecrets): void {
    if (this.items.length >= maxItems) return;
    this.items.push(errorItem(problem, loc.map(shownKey), this.#show(input, secrets)));
  }

  /** Of everything found since there were `count` findings: it did not stand in a list. */
  leaveIndexOut(count: number): void {
    for (let at = count; at < this.items.length; at++) {
      const item = this.items[at];
      if (item?.loc[1] === 0) this.items[at] = { ...item, loc: item.loc.toSpliced(1, 1) };
    }
  }

  #show(input: unknown, secrets: Secrets): unknown {
    if (typeof input !== 'object' || input === null) return shownInput(input, secrets);
    const known = this.#shown.get(input);
    if (known?.secrets === secrets) return known.shown;
    const shown = shownInput(input, secrets);
    this.#shown.set(input, { secrets, shown });
    return shown;
  }

  /** Takes the input away from everything found since there were `count` findings. */
  redactSince(count: number): void {
    for (let at = count; at < this.items.length; at++) {
      const item = this.items[at];
      if (item) this.items[at] = { ...item, input: redacted };
    }
  }
}

/** Keys of maps are the client's own texts. */
const shownKey = (key: string | number): string | number => (typeof key === 'number' ? key : shownText(key));
