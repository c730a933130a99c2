import { Checkbox, ColorInput, Group, Text } from '@mantine/core'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { ownerPageTexts } from '../../texts/pages/owner-pages.ts'

interface AccentProps {
  label: string
  theme: 'light' | 'dark'
  /** Null for the default colour. */
  value: string | null
  usual: string
  /** Contrast of the saved colour. */
  contrast: number | null
  onChange(value: string | null): void
}

/** Accent colour of one theme, with a sample button. */
export function AccentInput({ label, theme, value, usual, contrast, onChange }: AccentProps) {
  const texts = useTexts(ownerPageTexts)
  const formats = useFormats()
  const shown = /^#[0-9a-f]{6}$/i.test(value ?? '') ? (value ?? usual) : usual
  return (
    <div className="accent">
      <ColorInput label={label} value={value ?? usual} onChange={onChange} disabled={value === null} format="hex" withEyeDropper={false} />
      <Checkbox
        mt="xs"
        label={texts.usual}
        checked={value === null}
        onChange={(event) => onChange(event.currentTarget.checked ? null : usual)}
      />
      <Group mt="xs" gap="sm">
        <svg className="accent-sample" data-theme={theme} width="150" height="64" viewBox="0 0 150 64" aria-hidden="true">
          <rect width="150" height="64" rx="8" fill={theme === 'light' ? '#ffffff' : '#18202c'} />
          <rect x="15" y="12" width="120" height="40" rx="9" fill={shown} />
          <text
            x="75"
            y="33"
            fill={theme === 'light' ? '#ffffff' : '#0b0f16'}
            fontSize="15"
            fontWeight="600"
            textAnchor="middle"
            dominantBaseline="central"
          >
            {texts.sample}
          </text>
        </svg>
        {contrast !== null && <Text size="sm">{texts.ratio(formats.number(contrast))}</Text>}
      </Group>
    </div>
  )
}
