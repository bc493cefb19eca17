/** Days after which facts are old: providers change prices and retire models within months. */
const OLD_AFTER_DAYS = 180;
/** Days before a model's end from which every start of a run warns of it. */
const ENDING_DAYS = 60;

/** The end of a model, past or near. */
export interface Retirement {
  readonly date: string;
  readonly hasEnded: boolean;
  /** Negative after the end. */
  readonly daysLeft: number;
  readonly successor?: string;
}

/** Returns today's date (UTC) as YYYY-MM-DD. */
export function getToday(): string {
  return new Date().toISOString().slice(0, 10);
}

/**
 * Returns the age in days of a fact if it is old, else undefined.
 * @param today written as YYYY-MM-DD, like `checked`
 */
export function computeStaleDays(checked: string, today: string): number | undefined {
  const age = countDaysBetween(checked, today);
  return age > OLD_AFTER_DAYS ? age : undefined;
}

/** Returns undefined if a model has no date of retirement, or one that is still far away. */
export function findRetirement(
  { retires, successor }: { readonly retires?: string | undefined; readonly successor?: string | undefined },
  today: string,
): Retirement | undefined {
  if (retires === undefined) return undefined;
  const daysLeft = countDaysBetween(today, retires);
  if (daysLeft > ENDING_DAYS) return undefined;
  return {
    date: retires,
    hasEnded: daysLeft <= 0,
    daysLeft,
    ...(successor === undefined ? {} : { successor }),
  };
}

function countDaysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}
