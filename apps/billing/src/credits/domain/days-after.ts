const dayMs = 86_400_000;

export const daysAfter = (date: Date, days: number): Date => new Date(date.getTime() + days * dayMs);
