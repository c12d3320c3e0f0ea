/** 1 credit = 1,000,000 micros. Every amount of credits in this service is a bigint of micros. */
export const microsPerCredit = 1_000_000n;

/** Whole credits in micros. */
export const creditsToMicros = (credits: number): bigint => BigInt(credits) * microsPerCredit;
