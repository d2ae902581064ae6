// SPDX-License-Identifier: Apache-2.0

/// The style sheet of pages.
enum PageStyle {
    static let text = """
        :root{\(Palette.light.properties)}
        @media (prefers-color-scheme:dark){:root{\(Palette.dark.properties)}}
        @media print{:root{\(Palette.light.properties)} .tools{display:none}}
        \(rules)
        """

    private static let rules = """
        *{box-sizing:border-box}
        html{background:var(--page);color:var(--text);font:16px/1.5 system-ui,"DejaVu Sans",sans-serif}
        body{margin:0 auto;max-width:110rem;padding:1rem}
        h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0;overflow-wrap:anywhere}
        h2{font-size:1.2rem;margin:2rem 0 .5rem}
        h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
        p,li,dd,td,th,code{overflow-wrap:anywhere}
        p{margin:.4rem 0;max-width:75ch}
        code{font:.875rem/1.5 ui-monospace,"DejaVu Sans Mono",monospace;background:var(--panel);padding:.1rem .3rem;\
        border-radius:3px;white-space:pre-wrap}
        pre{margin:.4rem 0} pre code{display:block;padding:.5rem .8rem}
        .muted,footer,.name p{color:var(--muted)}
        .command{max-width:none}
        .verdict{display:inline-block;white-space:nowrap;font-weight:700;margin-right:.6rem;padding:0 .5rem;border:2px solid;border-radius:4px}
        .pass,.done{color:var(--good)} .fail,.failed,.error{color:var(--bad)}
        .inconclusive{color:var(--doubt)} .skipped{color:var(--muted)}
        .findings{list-style:none;margin:0;padding:0}
        .findings li{background:var(--panel);border-radius:6px;margin:.5rem 0;padding:.6rem .8rem}
        dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem 1rem;margin:0}
        dt{color:var(--muted)} dd{margin:0}
        .scroll{overflow-x:auto}
        .plots{--side:18rem;position:relative;width:calc(100% * var(--zoom,1));min-width:100%}
        .row{display:grid;grid-template-columns:var(--side) minmax(0,1fr);column-gap:1rem;align-items:start;\
        padding:.25rem 0;border-top:1px solid var(--panel)}
        .name{position:sticky;left:0;max-width:var(--side);font-size:.8rem;line-height:1.35}
        .name h3{font-size:.85rem} .name p{margin:0}
        .plot{display:block;overflow:visible;position:relative}
        .grid{position:absolute;top:0;left:calc(var(--side) + 1rem);width:calc(100% - var(--side) - 1rem);height:100%;pointer-events:none}
        .tools button{font:inherit;min-width:2.75rem;min-height:2.75rem;margin-right:.3rem;color:var(--text);\
        background:var(--panel);border:1px solid var(--rule);border-radius:4px}
        :focus-visible{outline:3px solid var(--uplink);outline-offset:2px}
        svg text{font:12px system-ui,"DejaVu Sans",sans-serif;fill:var(--text)}
        svg .note,svg .tick{fill:var(--muted);font-size:11px}
        svg .note{paint-order:stroke;stroke:var(--page);stroke-width:3px}
        svg .first{text-anchor:start}
        .clip{overflow:hidden}
        .rule{stroke:var(--rule);stroke-width:.5;stroke-dasharray:1 3}
        .period{fill:var(--panel);stroke:var(--rule)} .period.other{fill:var(--page)}
        .up{fill:var(--panel);stroke:var(--good);stroke-width:2}
        .down{fill:var(--panel);stroke:var(--bad);stroke-width:2;stroke-dasharray:5 3}
        .change{stroke:var(--rule);stroke-width:1} .mark{stroke:var(--doubt);stroke-width:1.5;stroke-dasharray:4 2}
        .pointer{stroke:var(--text);stroke-width:1}
        .area.uplink{fill:var(--uplink)} .area.downlink{fill:var(--downlink)} .area.all{fill:var(--waiting)}
        .uplink{--lane:var(--uplink)} .downlink{--lane:var(--downlink)} .trips{--lane:var(--text)}
        .band{fill:var(--lane);opacity:.25} .high{fill:none;stroke:var(--lane)} .hit{fill:transparent}
        .asked{stroke:var(--text);stroke-width:1.5;stroke-dasharray:6 3}
        svg .trip{fill:var(--text)}
        .median{fill:none;stroke:var(--lane);stroke-width:2.5}
        .median.edge{stroke:var(--page);stroke-width:5}
        .drop{fill:var(--bad)} .busy{fill:var(--doubt)}
        .connecting{fill:var(--waiting)} .waiting{fill:none;stroke:var(--waiting);stroke-width:1.5}
        .answered{fill:var(--uplink)} .silence{fill:var(--page)}
        .attempt{stroke:var(--text);stroke-width:1.5} .again{stroke:var(--bad);stroke-width:2}
        svg .end{font-weight:700;paint-order:stroke;stroke:var(--page);stroke-width:3px}
        .table{overflow-x:auto}
        table{border-collapse:collapse;font-size:.9rem}
        th,td{border:1px solid var(--rule);padding:.3rem .6rem;text-align:left;vertical-align:top;min-width:4rem}
        th{background:var(--panel)} td .verdict{margin:0 0 .2rem}
        th,td{overflow-wrap:break-word} td p{min-width:10rem;margin:0} td{color:var(--text)}
        .cell{border-left:8px solid} .cell p{color:var(--text)} .figure{white-space:nowrap}
        .cell.pass{border-left-color:var(--good);background:var(--goodPanel)}
        .cell.fail{border-left-color:var(--bad);background:var(--badPanel)}
        .cell.inconclusive{border-left-color:var(--doubt);background:var(--doubtPanel)}
        .cell.skipped{border-left-color:var(--muted)} th[scope=row]{min-width:8rem}
        a{color:var(--uplink)}
        .survived{stroke:var(--uplink);stroke-width:2} .share{fill:var(--uplink)}
        .interval{fill:var(--panel);stroke:var(--rule)} .limit{stroke:var(--text);stroke-width:2}
        @media (min-width:90rem){.plots{--side:28rem}}
        @media (max-width:44rem){
          .row{grid-template-columns:minmax(0,1fr)}
          .name{max-width:calc(100vw - 2rem);width:100%;background:var(--page);z-index:1}
          .grid{left:0;width:100%}
        }
        @media print{.row{break-inside:avoid} body{max-width:none}}
        """
}
