/** Colour as `#rrggbb`, lower case. */
type Colour = string

export type Theme = 'light' | 'dark'

/** WCAG 2.2 AA for normal text. Source: https://www.w3.org/TR/WCAG22/#contrast-minimum */
export const MIN_CONTRAST = 4.5

/**
 * Backgrounds of an accent on the owner's pages: card and page; the tint of notices is mixed from the accent itself.
 */
const GROUNDS: Record<Theme, readonly Colour[]> = { light: ['#ffffff', '#eef1f6'], dark: ['#18202c', '#0e131b'] }
const BUTTON_TEXT: Record<Theme, Colour> = { light: '#ffffff', dark: '#0b0f16' }
/** Direction in which an accent is moved until it is legible. */
const AWAY: Record<Theme, Colour> = { light: '#000000', dark: '#ffffff' }
const TINT_SHARE = 0.08
const HOVER_SHARE = 0.22
const STEPS = 200

/** Accent with its derived colours. */
export interface Accent {
  accent: Colour
  /** Text colour on a button in the accent. */
  ink: Colour
  hover: Colour
  tint: Colour
}

export function toAccent(accent: Colour, theme: Theme): Accent {
  const [card = ''] = GROUNDS[theme]
  return {
    accent,
    ink: BUTTON_TEXT[theme],
    hover: mix(accent, AWAY[theme], HOVER_SHARE),
    tint: mix(card, accent, TINT_SHARE),
  }
}

/** Lowest contrast of an accent: as a link on the page, and under the text of a button. */
export function contrastOfAccent(accent: Colour, theme: Theme): number {
  const { ink, tint } = toAccent(accent, theme)
  return Math.min(...[...GROUNDS[theme], tint, ink].map((other) => contrast(accent, other)))
}

/** Nearest legible colour of the same hue: darker in the light theme, lighter in the dark one. */
export function nearestAccent(accent: Colour, theme: Theme): Colour {
  for (let step = 0; step <= STEPS; step += 1) {
    const moved = mix(accent, AWAY[theme], step / STEPS)
    if (contrastOfAccent(moved, theme) >= MIN_CONTRAST) return moved
  }
  return AWAY[theme]
}

/** Source: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: Colour, other: Colour): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Source: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const [start, end] = [channelsOf(from), channelsOf(to)]
  const mixed = start.map((value, index) => Math.round(value + ((end[index] ?? 0) - value) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function channelsOf(colour: Colour): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}
