import { afterAll, expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { rmSync } from 'node:fs';
import { installedModel } from '../../../test/installed-models.ts';
import { runInSandbox } from '../../../test/test-sandbox.ts';
import { whisperRecogniser, type LocalRecogniser } from '../models/whisper-recogniser.ts';
import { heardShare, noFfmpeg, noVoice, soundFolder } from './spoken.ts';

const model = 'whisper-tiny.en';
const { models, lack } = installedModel(model);

describeWhere(noFfmpeg ?? noVoice ?? lack, 'Whisper on this machine', () => {
  const folder = soundFolder();
  let whisper: LocalRecogniser | undefined;
  const recogniser = (): LocalRecogniser => {
    if (!models) throw new Error('no model');
    return (whisper ??= whisperRecogniser(runInSandbox, models, model, 600, { warn: () => undefined }));
  };
  afterAll(async () => {
    await whisper?.close();
    rmSync(folder.path, { recursive: true });
  });

  const sentences = [
    'The meeting starts at nine in the morning.',
    'Please send the invoice to the accounting department.',
    'We need more time to finish the report.',
    'The weather was cold and windy all week.',
    'Our customers are happy with the new product.',
  ];

  it('understands spoken sentences', async () => {
    const shares: number[] = [];
    for (const sentence of sentences) {
      const path = folder.speak(sentence);
      const { text, seconds, language, segments } = await recogniser().transcribe({ path, mediaType: 'audio/wav' });
      shares.push(heardShare(text, sentence));
      expect(seconds).toBeGreaterThan(1);
      expect(language).toBe('en');
      expect(segments.map((segment) => segment.text).join(' ')).toBe(text);
    }
    // A hard, robotic voice and the smallest model there is.
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThan(0.85);
  });

  it('knows no other language than its own, and says so', async () => {
    const path = folder.speak('Good morning.');
    const heard = recogniser().transcribe({ path, mediaType: 'audio/wav' }, { language: 'de' });
    await expect(heard).rejects.toMatchObject({ kind: 'invalid', violations: [{ loc: ['body', 'language'] }] });
  });

  it('understands the same from a compressed file', async () => {
    const [sentence = ''] = sentences;
    const path = folder.convert(folder.speak(sentence), 'spoken.webm');
    const { text } = await recogniser().transcribe({ path, mediaType: 'audio/webm' });
    expect(heardShare(text, sentence)).toBeGreaterThan(0.7);
  });

  it.each([
    ['silence', 'anullsrc=r=16000'],
    ['noise', 'anoisesrc=r=16000:a=0.3'],
    ['brown noise', 'anoisesrc=r=16000:a=0.5:c=brown'],
    ['a tone', 'sine=frequency=220'],
  ])('hears nothing in %s', async (_what, source) => {
    const path = folder.generate(source, 4, `${source.replaceAll(/\W/g, '')}.wav`);
    const { text, seconds, segments } = await recogniser().transcribe({ path, mediaType: 'audio/wav' });
    expect([text, segments]).toEqual(['', []]);
    expect(seconds).toBeCloseTo(4, 0);
  });

  it('hears all of a long sound, once, with the times at which it was said', async () => {
    const pause = folder.generate('anullsrc=r=22050', 6, 'pause.wav');
    const spoken = sentences.map((sentence) => folder.speak(sentence));
    const path = folder.join([...spoken, ...spoken, pause, ...spoken], 'long.wav');
    const { text, seconds, segments } = await recogniser().transcribe({ path, mediaType: 'audio/wav' });
    expect(seconds).toBeGreaterThan(40);
    const share = heardShare(text, [...sentences, ...sentences, ...sentences].join(' '));
    expect(share).toBeGreaterThan(0.8);
    expect(text.match(/weather/gi)).toHaveLength(3);
    for (const [index, { start, end }] of segments.entries()) {
      expect(end).toBeGreaterThanOrEqual(start);
      expect(start).toBeGreaterThanOrEqual((segments[index - 1]?.start ?? 0) - 0.01);
      expect(end).toBeLessThanOrEqual(seconds + 1);
    }
  });
});
