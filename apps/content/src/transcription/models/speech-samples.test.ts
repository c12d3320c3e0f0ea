import { describe, expect, it } from '@jest/globals';
import { LEADING_SILENCE_SAMPLES, speechSamples } from './speech-samples.ts';

const tone = (amplitude: number, length = 16_000): Int16Array =>
  Int16Array.from({ length }, (_, at) => Math.round(amplitude * Math.sin(at / 5)));
const levelOf = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);

describe('speech as a model is shown it', () => {
  it.each([300, 3_000, 30_000])('has one level, however loud it was recorded: %d', (amplitude) => {
    const { shown } = speechSamples(tone(amplitude), { from: 0, to: 16_000 });
    expect(levelOf(shown.subarray(LEADING_SILENCE_SAMPLES))).toBeCloseTo(0.1, 2);
  });

  it('begins with a second of silence, and has the part alone', () => {
    const { shown } = speechSamples(tone(3_000), { from: 4_000, to: 9_000 });
    expect(shown).toHaveLength(16_000 + 5_000);
    expect(levelOf(shown.subarray(0, LEADING_SILENCE_SAMPLES))).toBe(0);
  });

  it('begins at once where it is heard in pieces', () => {
    const { shown, lead } = speechSamples(tone(3_000, 40 * 16_000), { from: 0, to: 40 * 16_000 });
    expect([shown.length, lead]).toEqual([40 * 16_000, 0]);
  });

  it('is clipped nowhere, and stays nothing where it is nothing', () => {
    const knock = tone(10);
    knock[8_000] = 32_767;
    expect(Math.max(...speechSamples(knock, { from: 0, to: 16_000 }).shown)).toBeLessThanOrEqual(0.951);
    expect(levelOf(speechSamples(new Int16Array(16_000), { from: 0, to: 16_000 }).shown)).toBe(0);
  });
});
