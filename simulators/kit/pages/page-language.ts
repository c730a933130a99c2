export type PageLanguage = 'en' | 'fr'

/** The first of `en` and `fr` in the browser's order of preference; defaults to English. */
export function pageLanguage(acceptLanguage: string | undefined): PageLanguage {
  const ranked = (acceptLanguage ?? '')
    .split(',')
    .map((part) => ({ language: part.trim().slice(0, 2).toLowerCase(), weight: Number(/;\s*q=([\d.]+)/.exec(part)?.[1] ?? 1) }))
    .sort((a, b) => b.weight - a.weight)
  return ranked.find(({ language }) => language === 'fr' || language === 'en')?.language === 'fr' ? 'fr' : 'en'
}
