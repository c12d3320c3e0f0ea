import { describe, expect, it } from '@jest/globals';
import { fixedClock } from './clock.ts';
import { expiringCache } from './expiring-cache.ts';

describe('an expiring cache', () => {
  it('forgets an entry at the moment it expires', () => {
    const clock = fixedClock();
    const cache = expiringCache<number>({ maxEntries: 10, clock });
    cache.set('a', 1, clock.now().getTime() + 1_000);
    clock.advance(999);
    expect(cache.get('a')).toBe(1);
    clock.advance(1);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  it('never holds more than its room, and drops what was unused for longest', () => {
    const cache = expiringCache<number>({ maxEntries: 3 });
    for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index, Infinity);
    cache.get('a');
    cache.set('d', 3, Infinity);
    expect(cache.size).toBe(3);
    expect(cache.get('b')).toBeUndefined();
    expect([cache.get('a'), cache.get('c'), cache.get('d')]).toEqual([0, 2, 3]);
  });

  it('gives the room of expired entries back as new ones come, though nobody asks for them again', () => {
    const clock = fixedClock();
    const cache = expiringCache<number>({ maxEntries: 1_000, clock });
    for (let index = 0; index < 500; index++) cache.set(`early ${index}`, index, clock.now().getTime() + 1_000);
    clock.advance(1_000);
    cache.set('late', 1, clock.now().getTime() + 1_000);
    expect(cache.size).toBe(1);
  });

  it('replaces an entry without dropping another', () => {
    const cache = expiringCache<number>({ maxEntries: 2 });
    cache.set('a', 1, Infinity);
    cache.set('b', 2, Infinity);
    cache.set('a', 3, Infinity);
    expect([cache.get('a'), cache.get('b')]).toEqual([3, 2]);
  });

  it('forgets what it is told to forget', () => {
    const cache = expiringCache<number>({ maxEntries: 2 });
    cache.set('a', 1, Infinity);
    cache.delete('a');
    expect(cache.get('a')).toBeUndefined();
    cache.set('b', 2, Infinity);
    cache.clear();
    expect(cache.size).toBe(0);
  });
});
