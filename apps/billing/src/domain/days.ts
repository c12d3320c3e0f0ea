const dayMs = 86_400_000;

export const daysAfter = (date: Date, days: number): Date => new Date(date.getTime() + days * dayMs);

/** The UTC day a moment belongs to: `2026-01-31`. */
export const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

/** The first moment of a UTC day. */
export const startOfDay = (day: string): Date => new Date(`${day}T00:00:00.000Z`);
