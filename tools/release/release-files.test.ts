import { describe, expect, it } from 'vitest'
import { checkVersion, dateChangelog, replaceChartVersion, replaceVersion } from './release-files.ts'

const CHANGELOG = `# Changelog

## Unreleased

### What operators must do

- Nothing.

### Added

- Something.

## 1.0.0 (2026-11-23)

### What operators must do

- Nothing.
`

describe('a release', () => {
  it.each([
    ['1.0', '1.0 is not a release such as 1.2.0'],
    ['v1.3.0', 'v1.3.0 is not a release such as 1.2.0'],
    ['1.3.0-rc.1', '1.3.0-rc.1 is not a release such as 1.2.0'],
    ['1.2.9', '1.2.9 does not come after 1.2.10'],
    ['1.2.10', '1.2.10 does not come after 1.2.10'],
  ])('is not called %s', (version, fault) => {
    expect(() => checkVersion(version, '1.2.10')).toThrow(fault)
  })

  it.each(['1.2.11', '1.3.0', '2.0.0'])('may be called %s', (version) => {
    expect(() => checkVersion(version, '1.2.10')).not.toThrow()
  })

  it('dates the unreleased changes and leaves an empty section for the next', () => {
    const dated = dateChangelog(CHANGELOG, '1.1.0', '2026-12-01')
    expect(dated).toMatch(/^# Changelog\n\n## Unreleased\n\n## 1\.1\.0 \(2026-12-01\)\n\n### What operators must do\n\n/)
    expect(() => dateChangelog(dated, '1.2.0', '2026-12-02')).toThrow('does not say what operators must do')
  })

  it.each([
    ['has no unreleased part', CHANGELOG.replace('Unreleased', '0.9'), 'has no part "## Unreleased"'],
    ['is silent to operators', CHANGELOG.replace('- Nothing.\n\n### Added', '### Added'), 'does not say what operators must do'],
    ['names no change', CHANGELOG.replace('### Added\n\n- Something.\n\n', ''), 'names no change'],
  ])('is refused if the changelog %s', (_what, text, fault) => {
    expect(() => dateChangelog(text, '1.1.0', '2026-12-01')).toThrow(fault)
  })

  it('changes both versions of the chart', () => {
    const chart = 'apiVersion: v2\nversion: 1.0.0\nappVersion: 1.0.0\nkubeVersion: ">=1.27.0-0"\n'
    expect(replaceChartVersion(chart, '1.0.0', '1.1.0')).toBe(chart.replaceAll(': 1.0.0', ': 1.1.0'))
    expect(() => replaceChartVersion(chart.replace('appVersion: 1.0.0', ''), '1.0.0', '1.1.0')).toThrow('not found in the chart')
  })

  it('changes the version of the project, but not that of a package with the same one', () => {
    const lock = '{"version": "1.0.0","lockfileVersion":3,"packages":{"":{"version": "1.0.0"},"x":{"version": "1.0.0"}}}'
    expect(replaceVersion(lock, '1.0.0', '1.1.0')).toBe(
      '{"version": "1.1.0","lockfileVersion":3,"packages":{"":{"version": "1.1.0"},"x":{"version": "1.0.0"}}}',
    )
    expect(() => replaceVersion('{"name":"x"}', '1.0.0', '1.1.0')).toThrow('version 1.0.0 was not found')
  })
})
