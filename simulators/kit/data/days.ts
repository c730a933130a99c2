/** The calendar day of an instant, in UTC. */
export function toDayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

export function addDays(day: string, days: number): string {
  return toDayText(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000)
}
