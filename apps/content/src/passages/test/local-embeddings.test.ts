import { afterAll, expect, it } from '@jest/globals';
import { describeWhere, type Lack } from '@platform-backend/testing/where';
import { installedModel } from '../../../test/installed-models.ts';
import { installedEncoders } from '../models/installed-encoders.ts';
import { localEmbeddings, type Encoder } from '../models/local-embeddings.ts';
import { shippedEncoder } from '../models/shipped-encoder.ts';

const ours = { organisationId: 'org_1' };

const likeness = (one: Float32Array = new Float32Array(), other: Float32Array = new Float32Array()): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

const miniLm = 'all-MiniLM-L6-v2';
const { models, lack } = installedModel(miniLm);

describeEncoder('that comes with its package', () => shippedEncoder, 512, undefined);
describeEncoder('MiniLM', () => installedEncoders(models).find(({ model }) => model === miniLm), 384, lack);

function describeEncoder(name: string, open: () => Encoder | undefined, dimensions: number, missing: Lack) {
  describeWhere(missing, `the encoder ${name}`, () => testEncoder(open() as Encoder, dimensions));
}

function testEncoder(encoder: Encoder, dimensions: number): void {
  const embeddings = localEmbeddings(encoder, { warn: () => undefined });
  afterAll(() => embeddings.close());

  it('puts what means the same closer together than what shares words', async () => {
    const [question, answer, other] = await embeddings.embed(
      [
        'How long may staff stay away when they are ill?',
        'Employees are entitled to six weeks of paid sick leave.',
        'How long is the bridge?',
      ],
      ours,
    );
    expect(question).toHaveLength(dimensions);
    expect(likeness(question, question)).toBeCloseTo(1, 5);
    expect(likeness(question, answer)).toBeGreaterThan(likeness(question, other));
  });

  it('takes any text there is: none, long ones, other scripts, half letters', async () => {
    const texts = ['', '\n', 'a'.repeat(100_000), '日本語のテキスト', '😀😀', '\uD800', 'und so weiter', '\u0000'];
    const vectors = await embeddings.embed(texts, ours);
    expect(vectors.map((vector) => vector.length)).toEqual(texts.map(() => dimensions));
  });

  it('gives a text the same vector in any company, and none for none', async () => {
    const [alone] = await embeddings.embed(['The invoice is due in May.'], ours);
    const [, among] = await embeddings.embed(
      ['Short.', 'The invoice is due in May.', 'A much longer text. '.repeat(40)],
      ours,
    );
    expect(likeness(alone, among)).toBeGreaterThan(0.98);
    expect(await embeddings.embed([], ours)).toEqual([]);
  });

  it('serves a question before the rest of many texts', async () => {
    const order: string[] = [];
    const texts = Array.from({ length: 60 }, (_text, at) => `Text ${at} of a long document.`);
    const document = embeddings.embed(texts, ours).then(() => order.push('document'));
    const question = embeddings.embed(['Who asks?'], { ...ours, urgent: true }).then(() => order.push('question'));
    await Promise.all([document, question]);
    expect(order).toEqual(['question', 'document']);
  });

  it.each(['questions', 'texts'])('takes turns by organisation, however many %s one of them has', async (what) => {
    const done: string[] = [];
    const embed = (organisationId: string) =>
      embeddings
        .embed(['Who asks?'], { organisationId, urgent: what === 'questions' })
        .then(() => done.push(organisationId));
    const busy = Array.from({ length: 20 }, () => embed('busy'));
    await embed('neighbour');
    expect(done.filter((name) => name === 'busy').length).toBeLessThanOrEqual(2);
    await Promise.all(busy);
  });

  it('stops with the batch in which nobody wants the rest any more', async () => {
    const gone = new AbortController();
    const refused = expect(
      embeddings.embed(Array.from({ length: 200 }, String), { ...ours, signal: gone.signal }),
    ).rejects.toMatchObject({ kind: 'unavailable' });
    gone.abort();
    await refused;
  });
}
