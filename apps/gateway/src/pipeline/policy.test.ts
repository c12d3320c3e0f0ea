import { describe, expect, it } from '@jest/globals';
import { Exchange } from '../exchange/exchange.ts';
import { compose, type Policy } from './policy.ts';

const exchange = Object.create(Exchange.prototype) as Exchange;

/** Runs the policies and answers what failed. */
async function failureOf(...policies: Policy[]): Promise<unknown> {
  const failed = Promise.withResolvers<unknown>();
  compose(policies, (_exchange, error) => failed.resolve(error))(exchange);
  return failed.promise;
}

describe('a pipeline of policies', () => {
  it('runs its policies in order, and only as far as each hands on', () => {
    const ran: string[] = [];
    const policies: Policy[] = [
      (given, next) => {
        ran.push('first');
        next(given);
      },
      () => void ran.push('second'),
      () => void ran.push('never'),
    ];
    compose(policies, () => undefined)(exchange);
    expect(ran).toEqual(['first', 'second']);
  });

  it('turns what a policy throws into a failure of its exchange', async () => {
    expect(
      await failureOf(() => {
        throw new Error('thrown');
      }),
    ).toMatchObject({ message: 'thrown' });
  });

  it('turns what a policy rejects with into a failure, which would otherwise end the process', async () => {
    const later: Policy = async (given, next) => {
      await Promise.resolve();
      next(given);
    };
    expect(await failureOf(later, () => Promise.reject(new Error('rejected')))).toMatchObject({ message: 'rejected' });
  });

  it('fails an exchange that no policy answers', async () => {
    expect(await failureOf((given, next) => next(given))).toBeInstanceOf(Error);
  });
});
