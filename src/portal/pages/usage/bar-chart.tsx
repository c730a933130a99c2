import { Group, Text } from '@mantine/core'
import { useFormats } from '../../texts/language/language.tsx'
import type { DaySum } from './sums.ts'

const WIDTH = 720
const HEIGHT = 100

/** Bar chart, one bar a day. The table below has the sums as numbers. */
export function BarChart({ label, days }: { label: string; days: readonly DaySum[] }) {
  const formats = useFormats()
  const most = Math.max(0, ...days.map(({ count }) => count))
  const [first, last] = [days[0], days.at(-1)]
  if (most === 0 || !first || !last) return null
  const width = WIDTH / days.length
  return (
    <div className="bars">
      <Text size="xs" c="dimmed">
        {formats.number(most)}
      </Text>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={formats.named(label, `0 – ${formats.number(most)}`)}
      >
        {days.map(({ day, count }, index) => (
          <rect
            key={day}
            className="one-bar"
            x={index * width + width * 0.1}
            width={width * 0.8}
            y={HEIGHT - (count / most) * HEIGHT}
            height={(count / most) * HEIGHT}
          >
            <title>{formats.named(formats.day(day), formats.number(count))}</title>
          </rect>
        ))}
      </svg>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {formats.day(first.day)}
        </Text>
        <Text size="xs" c="dimmed">
          {formats.day(last.day)}
        </Text>
      </Group>
    </div>
  )
}
