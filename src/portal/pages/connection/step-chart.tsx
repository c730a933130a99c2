import { toDate, useFormats } from '../../texts/language/language.tsx'

/** Balance at a publication. */
export interface Point {
  at: string
  value: number
}

const WIDTH = 720
const HEIGHT = 220
const EDGE = { left: 8, right: 8, top: 34, bottom: 34 }

/** Step chart: a balance holds until the next one is known. The table below has the numbers. */
export function StepChart({ points, label, show }: { points: readonly Point[]; label: string; show(value: number): string }) {
  const formats = useFormats()
  const first = points[0]
  const last = points.at(-1)
  if (!first || !last) return null
  const values = points.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const [from, to] = [toDate(first.at).getTime(), toDate(last.at).getTime()]
  const x = (at: string) => EDGE.left + share(toDate(at).getTime(), from, to) * (WIDTH - EDGE.left - EDGE.right)
  const y = (value: number) => HEIGHT - EDGE.bottom - share(value, low, high) * (HEIGHT - EDGE.top - EDGE.bottom)
  const path = points.map(({ at, value }, index) => (index === 0 ? `M${x(at)} ${y(value)}` : `H${x(at)}V${y(value)}`)).join('')
  return (
    <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={formats.named(label, `${show(low)} – ${show(high)}`)}>
      <line className="axis" x1={EDGE.left} x2={WIDTH - EDGE.right} y1={y(low)} y2={y(low)} />
      <line className="axis" x1={EDGE.left} x2={WIDTH - EDGE.right} y1={y(high)} y2={y(high)} />
      <path className="curve" d={path} />
      {points.map(({ at, value }) => (
        <circle key={at} cx={x(at)} cy={y(value)} r="4">
          <title>{formats.named(formats.instant(at), show(value))}</title>
        </circle>
      ))}
      <text x={EDGE.left} y={y(high) - 8}>
        {show(high)}
      </text>
      {low !== high && (
        <text x={EDGE.left} y={y(low) - 8}>
          {show(low)}
        </text>
      )}
      <text x={EDGE.left} y={HEIGHT - 6}>
        {formats.instant(first.at)}
      </text>
      {points.length > 1 && (
        <text x={WIDTH - EDGE.right} y={HEIGHT - 6} textAnchor="end">
          {formats.instant(last.at)}
        </text>
      )}
    </svg>
  )
}

/** Position of `value` between the two, 0 to 1; 0.5 when they are equal. */
function share(value: number, low: number, high: number): number {
  return high === low ? 0.5 : (value - low) / (high - low)
}
