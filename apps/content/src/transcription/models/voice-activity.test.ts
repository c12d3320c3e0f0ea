import { describe, expect, it } from '@jest/globals';
import { SAMPLE_RATE, spokenParts } from './voice-activity.ts';

const sound = (seconds: number, sample: (second: number) => number): Int16Array =>
  Int16Array.from({ length: seconds * SAMPLE_RATE }, (_sample, at) => Math.round(sample(at / SAMPLE_RATE) * 32_767));

const joined = (...sounds: Int16Array[]): Int16Array => Int16Array.from(sounds.flatMap((part) => [...part]));

/** The same every time. */
let seed = 1;
const noise = (): number => {
  seed = (seed * 16_807) % 2_147_483_647;
  return (seed / 2_147_483_647) * 2 - 1;
};

const tone = (hertz: number, second: number): number => Math.sin(2 * Math.PI * hertz * second);

/** Four syllables a second on a voice of 140 Hz. */
const voice = (seconds: number): Int16Array =>
  sound(seconds, (second) => {
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 4 * second)) ** 0.5;
    return 0.2 * syllable * [1, 2, 3, 4, 5].reduce((sum, partial) => sum + tone(140 * partial, second) / partial, 0);
  });

const silence = (seconds: number): Int16Array => sound(seconds, () => 0);

describe('where somebody speaks', () => {
  it.each([
    ['nothing', new Int16Array()],
    ['silence', silence(3)],
    ['hardly anything', sound(3, () => 0.0005 * noise())],
    ['a hiss', sound(3, () => 0.3 * noise())],
    ['a hiss that swells', sound(3, (second) => 0.3 * Math.abs(tone(0.5, second)) * noise())],
    ['a hum', sound(3, (second) => 0.3 * tone(100, second))],
    [
      'a knock',
      joined(
        silence(1),
        sound(0.06, () => 0.8 * noise()),
        silence(1),
      ),
    ],
  ])('is nowhere in %s', (_what, samples) => {
    expect(spokenParts(samples)).toEqual([]);
  });

  it('is found between silences, with what is soft around it', () => {
    const [part, ...others] = spokenParts(joined(silence(3), voice(2), silence(3)));
    expect(others).toEqual([]);
    expect((part?.from ?? 0) / SAMPLE_RATE).toBeCloseTo(2.6, 0);
    expect((part?.to ?? 0) / SAMPLE_RATE).toBeCloseTo(5.4, 0);
  });

  it('is found in noise as well', () => {
    const quietNoise = (samples: Int16Array) => samples.map((sample) => sample + Math.round(600 * noise()));
    expect(spokenParts(quietNoise(joined(silence(3), voice(2), silence(3))))).toHaveLength(1);
  });

  it('is one part over short pauses and two over long ones', () => {
    expect(spokenParts(joined(voice(1), silence(1), voice(1)))).toHaveLength(1);
    expect(spokenParts(joined(voice(1), silence(4), voice(1)))).toHaveLength(2);
  });

  it('is cut where it is quietest when it goes on for too long', () => {
    const samples = voice(10);
    const parts = spokenParts(samples, 4 * SAMPLE_RATE);
    expect(parts.length).toBeGreaterThanOrEqual(3);
    for (const [index, { from, to }] of parts.entries()) {
      expect(to - from).toBeLessThanOrEqual(4 * SAMPLE_RATE);
      if (index > 0) {
        expect(from).toBe(parts[index - 1]?.to);
        expect(Math.abs(samples[from] ?? 1)).toBeLessThan(1000);
      }
    }
  });
});
