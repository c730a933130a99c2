import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { findSourceNames, localizeSourceName } from '../../../model/texts/source-names.ts'
import type { Table } from './table.ts'

export type Language = 'en' | 'fr'

interface LanguageSetting {
  language: Language
  setLanguage(language: Language): void
}

const KEY = 'portal-language'
const LanguageSetting = createContext<LanguageSetting>({ language: 'en', setLanguage: () => undefined })

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language === 'fr' ? 'fr-CA' : 'en-CA'
  }, [language])
  const spoken = useMemo(
    () => ({
      language,
      setLanguage: (wanted: Language) => {
        localStorage.setItem(KEY, wanted)
        setLanguage(wanted)
      },
    }),
    [language],
  )
  return <LanguageSetting value={spoken}>{children}</LanguageSetting>
}

function firstLanguage(): Language {
  const kept = localStorage.getItem(KEY)
  if (kept === 'en' || kept === 'fr') return kept
  return navigator.language.startsWith('fr') ? 'fr' : 'en'
}

export function useLanguage(): LanguageSetting {
  return useContext(LanguageSetting)
}

export function useTexts<T>(texts: Table<T>): T {
  return texts[useLanguage().language]
}

/** Converts the API's name of a service into the one for readers: in French, names that are no brand are translated. */
export function useServiceName(): (name: string) => string {
  const { language } = useLanguage()
  return (name) => (language === 'fr' ? localizeSourceName(name, 'fr-CA') : name)
}

/** Finds the API's names of services that have other names for readers, by part of those. */
export function useServicesNamed(): (isFitting: (name: string) => boolean) => string[] {
  const { language } = useLanguage()
  return (isFitting) => (language === 'fr' ? findSourceNames('fr-CA', isFitting) : [])
}

/** Formats of dates, numbers and money in the page's language. */
export function useFormats() {
  const { language } = useLanguage()
  return useMemo(() => {
    const locale = language === 'fr' ? 'fr-CA' : 'en-CA'
    const instants = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
    const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
    const ages = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
    return {
      number: (value: number) => value.toLocaleString(locale),
      /** Name and value, with a colon between them. */
      named: (name: string, value: string | number) => (language === 'fr' ? `${name}\u00a0: ${value}` : `${name}: ${value}`),
      percent: (share: number) => share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 0 }),
      instant: (text: string) => instants.format(toDate(text)),
      day: (text: string) => days.format(new Date(`${text}T00:00:00Z`)),
      bytes: (count: number) => toBytes(count, locale),
      age: (text: string) => ages.format(...toAge(toDate(text).getTime() - Date.now())),
      money: (value: number, currency: string) =>
        /^[A-Z]{3}$/.test(currency) ? value.toLocaleString(locale, { style: 'currency', currency }) : value.toLocaleString(locale),
      duration: (ms: number) =>
        ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toLocaleString(locale, { maximumFractionDigits: 1 })} s`,
    }
  }, [language])
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

function toBytes(count: number, locale: string): string {
  const place = Math.min(SIZES.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)))
  const options = { style: 'unit', unit: SIZES[place] ?? 'byte', unitDisplay: 'short', maximumFractionDigits: place === 0 ? 0 : 1 } as const
  return (count / 1_000 ** place).toLocaleString(locale, options)
}

/** Parses a timestamp of the API; without an offset it is UTC. */
export function toDate(text: string): Date {
  return new Date(/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`)
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]

function toAge(ms: number): [number, Intl.RelativeTimeFormatUnit] {
  const [unit, size] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? ['second', 1_000]
  return [Math.round(ms / size), unit]
}
