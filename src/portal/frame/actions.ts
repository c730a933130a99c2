import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import type { Role, Whoami } from '../api/generated/types.ts'
import { signOut } from '../api/session.ts'
import { useLanguage, useTexts } from '../texts/language/language.tsx'
import { common } from '../texts/pages/common.ts'
import { frameTexts } from '../texts/pages/frame.ts'

/** Command of the palette. */
export interface Action {
  name: string
  run(): void
}

/** Commands that the member's role allows. */
export function useActions(me: Whoami | undefined, navigate: (path: string) => void, onCurl: () => void): Action[] {
  const texts = useTexts(frameTexts)
  const { curl } = useTexts(common)
  const { language, setLanguage } = useLanguage()
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  const to = (name: string, path: string) => ({ name, run: () => navigate(path) })
  const may = (...roles: Role[]) => me !== undefined && roles.includes(me.role)
  return [
    ...(may('admin', 'developer', 'integration') ? [to(texts.addCompany, '/companies?do=add')] : []),
    ...(may('admin', 'developer') ? [to(texts.addEndpoint, '/webhooks?do=add'), to(texts.receiveHere, '/webhooks?do=receive')] : []),
    ...(may('admin') ? [to(texts.addMember, '/members?do=add'), to(texts.addApiKey, '/api-keys?do=add')] : []),
    { name: curl, run: onCurl },
    { name: texts.toFrench, run: () => setLanguage(language === 'fr' ? 'en' : 'fr') },
    { name: isDark ? texts.toLight : texts.toDark, run: () => setColorScheme(isDark ? 'light' : 'dark') },
    { name: texts.documentation, run: () => location.assign('/docs/') },
    { name: texts.signOut, run: () => void signOut() },
  ]
}
