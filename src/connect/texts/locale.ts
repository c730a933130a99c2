import { setFrench } from '../../model/texts/french.ts'
import type { Locale, LocalizedText } from '../../model/values/text.ts'
import { en, type Texts } from './en.ts'
import { frCa } from './fr-ca.ts'

export const TEXTS: Record<Locale, Texts> = { en, 'fr-CA': frCa }

/** `fr` in any region is French, `en` in any region English; null for all others. */
export function toLocale(tag: unknown): Locale | null {
  if (typeof tag !== 'string') return null
  if (/^fr(-|$)/i.test(tag)) return 'fr-CA'
  return /^en(-|$)/i.test(tag) ? 'en' : null
}

export function otherLocale(locale: Locale): Locale {
  return locale === 'en' ? 'fr-CA' : 'en'
}

/** Text of a connector in the owner's language. */
export function localize(text: LocalizedText, locale: Locale): string {
  return locale === 'fr-CA' ? setFrench(text[locale]) : text[locale]
}

/**
 * Best supported language; null when there is none. Source: https://www.rfc-editor.org/rfc/rfc9110#name-accept-language
 */
export function localeOfHeader(header: string): Locale | null {
  const ranges = header
    .slice(0, 500)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.trim().split(';')
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find((q) => q !== undefined)
      return { locale: toLocale(tag), weight: Number(weight ?? 1) }
    })
    .filter(({ locale, weight }) => locale !== null && weight > 0)
    .sort((a, b) => b.weight - a.weight)
  return ranges[0]?.locale ?? null
}
