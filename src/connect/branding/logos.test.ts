import { expect, it } from 'vitest'
import { LOGO_COLORS } from './logos.ts'

/** Source: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

it.each(LOGO_COLORS)('white letters can be read on %s', (color) => {
  expect(1.05 / (luminance(color) + 0.05)).toBeGreaterThanOrEqual(4.5)
})
