import { setFrench } from '../../../model/texts/french.ts'

/** Texts in both languages; a key missing in French does not compile. */
export interface Table<T> {
  en: T
  fr: T
}

type Loose<T> = {
  [K in keyof T]: T[K] extends string ? string : T[K] extends (...given: infer Given) => string ? (...given: Given) => string : Loose<T[K]>
}

export function table<const T>(en: T, fr: Loose<T>): Table<Loose<T>> {
  return { en: en as Loose<T>, fr: setAll(fr) }
}

function setAll<T>(texts: T): T {
  if (typeof texts === 'string') return setFrench(texts) as T
  if (typeof texts === 'function') return ((...given: unknown[]) => setFrench(String(texts(...given)))) as T
  if (typeof texts !== 'object' || texts === null) return texts
  return Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, setAll<unknown>(value)])) as T
}
