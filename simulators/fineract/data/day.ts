/** Days as Fineract writes them. */
export type Day = [year: number, month: number, day: number]
