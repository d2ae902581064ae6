// SPDX-License-Identifier: Apache-2.0

/// The style sheet of pages.
enum PageStyle {
    static let text = """
        :root{\(Palette.light.properties)}
        @media (prefers-color-scheme:dark){:root{\(Palette.dark.properties)}}
        @media print{:root{\(Palette.light.properties)} .tools{display:none}}
        \(rules)
        \(timeline)
        \(drawings)
        \(narrow)
        """

    /// Text, findings and tables.
    private static let rules = """
        *{box-sizing:border-box}
        html{background:var(--page);color:var(--text);font:16px/1.5 system-ui,"DejaVu Sans",sans-serif;\
        scroll-padding-top:1rem}
        body{margin:0 auto;max-width:100rem;padding:1.5rem 2rem 3rem}
        h1{font-size:1.75rem;line-height:1.25;margin:0 0 .4rem;overflow-wrap:anywhere;letter-spacing:-.01em}
        h2{font-size:1.2rem;margin:2.5rem 0 .75rem}
        h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
        p,li,dd,td,th,code{overflow-wrap:anywhere}
        p{margin:.4rem 0;max-width:75ch}
        a{color:var(--uplink)}
        code{font:.85rem/1.5 ui-monospace,"DejaVu Sans Mono",monospace;background:var(--panel);padding:.1rem .35rem;\
        border-radius:4px;white-space:pre-wrap}
        .option{white-space:nowrap} pre{margin:.4rem 0} pre code{display:block;padding:.6rem .9rem}
        .muted,footer{color:var(--muted)} footer{margin-top:3rem;font-size:.85rem}
        .command{max-width:none;margin:.5rem 0}
        .lead{font-size:1.2rem;line-height:1.4;margin:.9rem 0 .3rem;max-width:60rem;text-wrap:pretty}
        .verdict{display:inline-block;white-space:nowrap;font-size:.85rem;line-height:1.4;font-weight:700;\
        margin-right:.6rem;padding:0 .5rem;border:2px solid;border-radius:5px;vertical-align:baseline}
        .verdict.pass,.verdict.done{color:var(--good);background:var(--goodPanel)}
        .verdict.fail,.verdict.failed,.verdict.error{color:var(--bad);background:var(--badPanel)}
        .verdict.inconclusive{color:var(--doubt);background:var(--doubtPanel)} .verdict.skipped{color:var(--muted)}
        h1 .verdict{font-size:1rem}
        .findings,.passes,.cases{list-style:none;margin:0;padding:0}
        .finding{background:var(--panel);border-left:6px solid var(--rule);border-radius:6px;margin:.6rem 0;\
        padding:.7rem 1rem}
        .finding.fail{border-color:var(--bad)} .finding.inconclusive{border-color:var(--doubt)}
        .finding h3{font-size:1.05rem} .finding p{margin:.25rem 0}
        .finding p.muted{font-size:.85rem}
        .count{color:var(--muted);font-weight:400;margin-left:.6rem}
        .number{display:inline-block;min-width:1.3rem;height:1.3rem;line-height:1.3rem;border-radius:.65rem;\
        text-align:center;\
        font-size:.75rem;font-weight:700;color:var(--page);background:var(--text);margin-right:.5rem;padding:0 .2rem;\
        flex:none;vertical-align:.1em}
        details>summary{cursor:pointer} .passed{margin:.75rem 0}
        .passes li{padding:.3rem 0;border-top:1px solid var(--panel)} .passes b{margin-right:.75rem}
        .passes p{display:inline;margin-left:.75rem;font-size:.85rem}
        .cases li{padding:.15rem 0} .cases a{font-weight:600;margin-right:.5rem}
        dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem 1rem;margin:0}
        dt{color:var(--muted)} dd{margin:0}
        .figures{font-size:.9rem;margin-top:.6rem} .figures dt{color:var(--text);font-weight:600;max-width:16rem}
        .columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(22rem,100%),1fr));column-gap:3rem}
        .table{overflow-x:auto}
        table{border-collapse:collapse;font-size:.9rem}
        th,td{border:1px solid var(--panel);border-width:1px 0;padding:.4rem .7rem;text-align:left;vertical-align:top;\
        min-width:4rem;overflow-wrap:break-word}
        th{background:var(--panel)} th[scope=row]{background:none;min-width:10rem} td .verdict{margin:0 0 .2rem}
        td p{min-width:9rem;margin:0} td{color:var(--text)} .figure{white-space:nowrap}
        .cell{border-left:6px solid}
        .cell.pass{border-left-color:var(--good)}
        .cell.fail{border-left-color:var(--bad);background:var(--badPanel)}
        .cell.inconclusive{border-left-color:var(--doubt);background:var(--doubtPanel)}
        .cell.skipped{border-left-color:var(--muted)}
        :focus-visible{outline:3px solid var(--uplink);outline-offset:2px}
        """

    /// The rows of a timeline.
    private static let timeline = """
        .scroll{overflow-x:auto;overflow-y:hidden}
        .plots{--side:20rem;--gutter:4.5rem;position:relative;width:calc(100% * var(--zoom,1));min-width:100%;\
        padding-right:1px}
        .row,.row>summary{display:grid;grid-template-columns:var(--side) minmax(0,1fr);column-gap:var(--gutter);\
        align-items:start}
        .row{padding:.25rem 0;border-top:1px solid var(--panel)}
        details.row{display:block;padding:0} .row>summary{list-style:none;padding:.1rem 0;align-items:center}
        .row>summary::-webkit-details-marker{display:none}
        .row>summary:hover,.row:target{background:var(--panel)}
        .row:target{outline:2px solid var(--uplink);outline-offset:-2px}
        .name{position:sticky;left:0;max-width:var(--side);font-size:.8rem;line-height:1.35;background:var(--page);\
        z-index:1}
        .name h3{font-size:.85rem} .name p{margin:0;color:var(--muted)}
        .row>summary:hover .name,.row:target .name{background:var(--panel)}
        summary .name{display:flex;align-items:center;gap:.5rem;width:100%;white-space:nowrap;line-height:1.5}
        summary .name::before{content:"▸";color:var(--muted);font-size:.7rem;flex:none}
        [open]>summary .name::before{content:"▾"}
        .name .what{font-weight:600;flex:0 1 auto;min-width:2rem;overflow:hidden;text-overflow:ellipsis}
        .name b{flex:none} .name .owner{color:var(--muted);flex:0 99 auto;min-width:0;overflow:hidden;\
        text-overflow:ellipsis}
        .name .state{color:var(--muted);margin-left:auto;flex:none} .name .number{margin:0}
        .name .repeat{color:var(--bad);font-weight:700;flex:none}
        .row .more{font-size:.85rem;padding:.1rem 0 .6rem 1.1rem} .row .more p{margin:.15rem 0;max-width:90ch}
        .rest>summary{padding:.4rem 0;color:var(--uplink);font-size:.85rem}
        .clock{border-top:2px solid var(--rule);margin-top:1.25rem} .clock h3{font-size:.95rem}
        .clock:first-of-type{margin-top:0}
        .plot{display:block;overflow:visible;position:relative}
        .lanes{height:var(--wide)} .plot .narrow{display:none}
        .grid{position:absolute;top:0;left:calc(var(--side) + var(--gutter));\
        width:calc(100% - var(--side) - var(--gutter) - 1px);\
        height:100%;pointer-events:none}
        .tools button{font:inherit;min-width:2.75rem;min-height:2.75rem;margin:0 .3rem .5rem 0;color:var(--text);\
        background:var(--panel);border:1px solid var(--rule);border-radius:5px}
        """

    /// Lines, bars and text in drawings.
    private static let drawings = """
        svg text{font:12px system-ui,"DejaVu Sans",sans-serif;fill:var(--text)}
        svg .note,svg .tick,svg .axis{fill:var(--muted);font-size:11px} svg .axis{font-size:12px}
        svg .words,svg .end{paint-order:stroke;stroke:var(--page);stroke-width:3px} svg .first{text-anchor:start}
        svg .end{font-size:11px}
        .rule{stroke:var(--rule);stroke-width:.5;stroke-dasharray:1 3} .leader{stroke:var(--muted);stroke-width:1}
        .period{fill:var(--panel);stroke:var(--rule)} .period.other{fill:var(--page)}
        .up{fill:var(--panel);stroke:var(--good);stroke-width:2}
        .down{fill:var(--panel);stroke:var(--bad);stroke-width:2;stroke-dasharray:5 3}
        .change{stroke:var(--rule);stroke-width:1} .mark{stroke:var(--doubt);stroke-width:1.5;stroke-dasharray:4 2}
        .finding{stroke-width:1} line.finding{stroke:var(--bad);stroke-width:1;stroke-dasharray:2 3}
        .found{stroke:var(--bad);stroke-width:2} .flag circle{fill:var(--text)}
        svg .flag text{fill:var(--page);font-size:11px;font-weight:700}
        .pointer{stroke:var(--text);stroke-width:1}
        .area.uplink{fill:var(--uplink)} .area.downlink{fill:var(--downlink)} .area.all{fill:var(--waiting)}
        .uplink{--lane:var(--uplink)} .downlink{--lane:var(--downlink)} .trips{--lane:var(--text)}
        .band{fill:var(--lane);opacity:.25} .high{fill:none;stroke:var(--lane)} .hit{fill:transparent}
        .asked{fill:none;stroke:var(--text);stroke-width:1.5;stroke-dasharray:6 3}
        svg .trip{fill:var(--text)}
        .median{fill:none;stroke:var(--lane);stroke-width:2.5}
        .median.edge{stroke:var(--page);stroke-width:5}
        .drop{fill:var(--bad)} .busy{fill:var(--doubt)}
        .connecting{fill:var(--waiting)} .waiting{fill:none;stroke:var(--waiting);stroke-width:1.5}
        .unanswered{stroke:var(--bad);stroke-dasharray:4 3}
        .answered{fill:var(--uplink)}
        .partly{fill-opacity:.35;stroke:var(--uplink);stroke-width:1.5;stroke-dasharray:4 3}
        .ghost{fill-opacity:.25} .silence{fill:var(--page)}
        .attempt{stroke:var(--text);stroke-width:1.5} .again{stroke:var(--bad);stroke-width:2}
        svg .request{font-weight:700}
        .legend{font-size:.8rem;color:var(--muted);margin:1rem 0}
        .legend h3{font-size:.8rem;color:var(--text);margin:.5rem 0 .2rem}
        .legend ul{margin:0} ul.legend{margin:1rem 0}
        .legend ul,ul.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}
        .legend li{display:flex;align-items:center;gap:.5rem} .legend svg{flex:none}
        figure{--gutter:4.5rem;margin:0 0 1.5rem;max-width:72rem} figcaption{font-size:.9rem;margin-bottom:.4rem}
        figure .plot{margin-left:var(--gutter);width:calc(100% - var(--gutter))}
        .pair{display:grid;grid-template-columns:minmax(20rem,1fr) auto;gap:.5rem 2rem;align-items:start}
        .pair>:only-child{grid-column:1/-1} .pair figure{margin:0}
        .survived{stroke:var(--uplink);stroke-width:2} .share{fill:var(--uplink)}
        .share.none{fill:var(--page);stroke:var(--uplink);stroke-width:2}
        .interval{fill:var(--goodPanel);stroke:var(--good);stroke-dasharray:4 3}
        .limit{stroke:var(--text);stroke-width:2}
        """

    /// Narrow screens and paper.
    private static let narrow = """
        @media (min-width:100rem){.plots{--side:26rem}}
        @media (max-width:60rem){
          body{padding:1rem}
          .plots{--gutter:3.9rem}
          .row,.row>summary{grid-template-columns:minmax(0,1fr);row-gap:.15rem}
          .name{max-width:calc(100vw - 2rem)}
          .row .plot{margin-left:var(--gutter);width:calc(100% - var(--gutter))}
          .grid{left:var(--gutter);width:calc(100% - var(--gutter) - 1px)}
          .lanes{height:var(--narrow)} .plot .wide{display:none} .plot .narrow{display:inline}
          figure{--gutter:3.2rem}
          .pair{grid-template-columns:minmax(0,1fr)}
          .cards,.cards tbody,.cards tr,.cards th,.cards td{display:block;border:0;min-width:0}
          .cards tr:first-child{display:none}
          .cards tr{border:1px solid var(--rule);border-radius:6px;margin:.75rem 0;overflow:hidden}
          .cards td{padding:.3rem .7rem}
        .cards td[data-name]::before{content:attr(data-name) " ";color:var(--muted);font-size:.8rem}
          .cards .cell{display:grid;grid-template-columns:minmax(0,1fr) auto;border-left:6px solid;padding:.4rem .7rem}
          .cards .cell[data-name]::before{color:var(--text);font-weight:600;font-size:.9rem} .cards .cell p{grid-column:1/-1}
          .cards .cell.pass p{display:none}
          .cards .cell.pass{border-left-color:var(--good)} .cards .cell.fail{border-left-color:var(--bad)}
          .cards .cell.inconclusive{border-left-color:var(--doubt)}
          .cards .figure{display:inline-block}
          .figures{grid-template-columns:minmax(0,1fr)} .figures dd{margin-bottom:.4rem}
        }
        @media print{.row{break-inside:avoid} body{max-width:none}}
        """
}
