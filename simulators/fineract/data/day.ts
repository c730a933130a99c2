/** Days in Fineract's format. */
export type Day = [year: number, month: number, day: number]
